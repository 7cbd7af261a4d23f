package scenario

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claims.

func (c *changer) claimMade() bool {
	pvc, ok := take(c.gen, &c.missing)
	if !ok {
		return false
	}
	pvc.UID = c.uid()
	c.volumeClaims = append(c.volumeClaims, pvc)
	c.add(pvc)
	return true
}

func openClaim(pvc *corev1.PersistentVolumeClaim) bool {
	return pvc.Spec.VolumeName == "" && pvc.Status.Phase != corev1.ClaimLost && pvc.DeletionTimestamp == nil
}

// claimBound plays a provisioner and the volume controller.
func (c *changer) claimBound() bool {
	var open []*corev1.PersistentVolumeClaim
	for _, pvc := range c.volumeClaims {
		if openClaim(pvc) {
			open = append(open, pvc)
		}
	}
	pvc, ok := some(c.gen, open)
	if !ok || c.left < 2 {
		return false
	}
	v := c.volumeFor(pvc)
	c.volumes = append(c.volumes, v)
	c.add(v)
	pvc.Spec.VolumeName = v.Name
	if pvc.Annotations == nil {
		pvc.Annotations = map[string]string{}
	}
	pvc.Annotations[bindDone] = "yes"
	pvc.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, AccessModes: v.Spec.AccessModes, Capacity: v.Spec.Capacity}
	c.update(pvc)
	return true
}

// volumeFor is what a provisioner makes for a claim.
func (c *changer) volumeFor(pvc *corev1.PersistentVolumeClaim) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
		ObjectMeta: metav1.ObjectMeta{Name: c.name("made"), UID: c.uid()},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: pvc.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   pvc.Spec.AccessModes,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			VolumeMode:                    pvc.Spec.VolumeMode,
			VolumeAttributesClassName:     pvc.Spec.VolumeAttributesClassName,
			ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: pvc.Namespace, Name: pvc.Name, UID: pvc.UID},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
	if pvc.Spec.StorageClassName != nil {
		v.Spec.StorageClassName = *pvc.Spec.StorageClassName
	}
	driver := csiDriver
	if d, ok := some(c.gen, c.csiDrivers); ok {
		driver = d.Name
	}
	v.Spec.PersistentVolumeSource = csiSource(driver, v.Name)
	if c.p(0.5) {
		if z := pick(c.gen, c.nodes).Labels[lZone]; z != "" {
			v.Spec.NodeAffinity = inNodes(lZone, z)
		}
	}
	return v
}

// waitedFor says whether a waiting pod uses the claim.
func (c *changer) waitedFor(pvc *corev1.PersistentVolumeClaim) bool {
	return slices.ContainsFunc(c.waiting, func(p *corev1.Pod) bool { return p.Namespace == pvc.Namespace && mounts(p, pvc.Name) })
}

// claimGone deletes a claim, which may be made again later.
func (c *changer) claimGone() bool {
	pvc, ok := some(c.gen, c.volumeClaims)
	if !ok {
		return false
	}
	for try := 0; try < 4 && !c.waitedFor(pvc); try++ {
		pvc = pick(c.gen, c.volumeClaims)
	}
	c.volumeClaims = slices.DeleteFunc(slices.Clone(c.volumeClaims), func(x *corev1.PersistentVolumeClaim) bool { return x == pvc })
	c.remove(pvc)
	again := pvc.DeepCopy()
	again.DeletionTimestamp, again.DeletionGracePeriodSeconds = nil, nil
	again.Spec.VolumeName = ""
	again.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
	for _, k := range []string{bindDone, byCtrl, selNode} {
		delete(again.Annotations, k)
	}
	c.missing = append(c.missing, again)
	return true
}

// claimTouched changes something of a claim: what nobody asks about, its node, its state, or its end.
func (c *changer) claimTouched() bool {
	pvc, ok := some(c.gen, c.volumeClaims)
	if !ok {
		return false
	}
	if pvc.Annotations == nil {
		pvc.Annotations = map[string]string{}
	}
	switch c.n(5) {
	case 0:
		if !openClaim(pvc) {
			return false
		}
		pvc.Annotations[selNode] = pick(c.gen, c.nodes).Name
	case 1: // the provisioner gave up
		if _, ok := pvc.Annotations[selNode]; !ok {
			return false
		}
		delete(pvc.Annotations, selNode)
	case 2:
		if pvc.Status.Phase != corev1.ClaimBound {
			return false
		}
		pvc.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimLost}
		c.update(pvc)
		return true
	case 3:
		if pvc.DeletionTimestamp != nil {
			return false
		}
		c.deleting(&pvc.ObjectMeta, pvcFinal)
	default:
		pvc.Annotations["example.com/note"] = c.name("note")
	}
	c.updateSpec(pvc)
	return true
}

// Volumes.

// volumeAdded adds a volume that no claim has yet.
func (c *changer) volumeAdded() bool {
	from, ok := some(c.gen, c.volumes)
	if !ok {
		return false
	}
	v := from.DeepCopy()
	v.Name, v.UID = c.name("extra"), c.uid()
	v.Spec.ClaimRef = nil
	v.DeletionTimestamp, v.DeletionGracePeriodSeconds, v.Finalizers = nil, nil, nil
	v.Annotations = nil
	v.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable}
	if v.Spec.CSI != nil {
		v.Spec.CSI = v.Spec.CSI.DeepCopy()
		v.Spec.CSI.VolumeHandle = v.Name
	}
	c.volumes = append(c.volumes, v)
	c.add(v)
	return true
}

// volumeBack makes a volume that a claim names and that is not there.
func (c *changer) volumeBack() bool {
	var missing []*corev1.PersistentVolumeClaim
	for _, pvc := range c.volumeClaims {
		if pvc.Spec.VolumeName != "" && !slices.ContainsFunc(c.volumes, func(v *corev1.PersistentVolume) bool { return v.Name == pvc.Spec.VolumeName }) {
			missing = append(missing, pvc)
		}
	}
	pvc, ok := some(c.gen, missing)
	if !ok {
		return false
	}
	v := c.volumeFor(pvc)
	v.Name = pvc.Spec.VolumeName
	c.volumes = append(c.volumes, v)
	c.add(v)
	return true
}

func (c *changer) volumeGone() bool {
	v, ok := take(c.gen, &c.volumes)
	if !ok {
		return false
	}
	c.remove(v)
	return true
}

// volumeLabels gives a volume another zone, another notation of its zone, or one more.
func (c *changer) volumeLabels() bool {
	var zonal []*corev1.PersistentVolume
	for _, v := range c.volumes {
		if v.Labels[lZone]+v.Labels[lZoneB] != "" || v.Spec.ClaimRef != nil && c.p(0.1) {
			zonal = append(zonal, v)
		}
	}
	v, ok := some(c.gen, zonal)
	if !ok {
		return false
	}
	if v.Labels[lZone]+v.Labels[lZoneB] == "" {
		v.Labels = map[string]string{lZone: pick(c.gen, zoneNames)}
	}
	for _, k := range []string{lZone, lZoneB} {
		if v.Labels[k] == "" {
			continue
		}
		switch c.n(4) {
		case 0:
			v.Labels[k] += "__" + pick(c.gen, zoneNames)
		case 1:
			delete(v.Labels, k)
		default:
			v.Labels[k] = pick(c.gen, zoneNames)
		}
	}
	c.updateSpec(v)
	return true
}

// volumeTouched changes what is not the topology of a volume.
func (c *changer) volumeTouched() bool {
	v, ok := some(c.gen, c.volumes)
	if !ok {
		return false
	}
	switch {
	case v.Spec.ClaimRef != nil && v.Status.Phase != corev1.VolumeBound && c.p(0.6): // released for others
		v.Spec.ClaimRef = nil
		v.Status.Phase = corev1.VolumeAvailable
		c.update(v)
		return true
	case v.DeletionTimestamp == nil && c.p(0.2):
		c.deleting(&v.ObjectMeta, pvFinal)
	case c.p(0.3):
		size := v.Spec.Capacity[corev1.ResourceStorage].DeepCopy()
		size.Add(size)
		v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: size}
	default:
		if v.Annotations == nil {
			v.Annotations = map[string]string{}
		}
		v.Annotations["example.com/note"] = c.name("note")
	}
	c.updateSpec(v)
	return true
}

// attachments come and go.
func (c *changer) attachmentChanged() bool {
	if a, ok := take(c.gen, &c.attachments); ok && c.p(0.7) {
		c.remove(a)
		return true
	}
	n, ok := some(c.gen, c.up)
	if !ok || len(c.volumes) == 0 {
		return false
	}
	have := len(c.last)
	c.attachment(&storage{}, c.name("late"), n.Name)
	a := c.last[have].(*storagev1.VolumeAttachment)
	c.last = c.last[:have]
	if a.Spec.Source.PersistentVolumeName != nil {
		a.Spec.Source.PersistentVolumeName = ptr(pick(c.gen, c.volumes).Name)
	}
	c.attachments = append(c.attachments, a)
	c.add(a)
	return true
}

// Classes, drivers and what nodes report of them.

// classChanged adds a class that claims wait for, or one more, or gives one other topologies, or none.
func (c *changer) classChanged() bool {
	from, ok := some(c.gen, c.storage)
	if !ok {
		return false
	}
	switch c.n(6) {
	case 0, 1:
		from.AllowedTopologies = nil
		if c.p(0.5) {
			from.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
				{Key: lZone, Values: sample(c.gen, zoneNames, c.between(1, 2))}}}}
		}
		c.update(from)
		return true
	case 2:
		from.AllowVolumeExpansion = ptr(from.AllowVolumeExpansion == nil || !*from.AllowVolumeExpansion)
		c.update(from)
		return true
	case 3:
		if from, _ = take(c.gen, &c.storage); len(c.storage) > 0 {
			c.remove(from)
			return true
		}
		c.storage = append(c.storage, from)
		return false
	}
	name := c.name("class")
	for _, pvc := range c.volumeClaims {
		if s := pvc.Spec.StorageClassName; s != nil && *s != "" && !slices.ContainsFunc(c.storage, func(x *storagev1.StorageClass) bool { return x.Name == *s }) {
			name = *s
		}
	}
	x := from.DeepCopy()
	x.Name, x.UID, x.Annotations = name, c.uid(), nil
	c.storage = append(c.storage, x)
	c.add(x)
	return true
}

func (c *changer) csiDriverChanged() bool {
	d, ok := some(c.gen, c.csiDrivers)
	if !ok {
		return false
	}
	switch c.n(5) {
	case 0:
		d, _ = take(c.gen, &c.csiDrivers)
		c.downDrivers = append(c.downDrivers, d)
		c.remove(d)
		return true
	case 1:
		if d, ok = take(c.gen, &c.downDrivers); !ok {
			return false
		}
		c.csiDrivers = append(c.csiDrivers, d)
		c.add(d)
		return true
	case 2:
		d.Spec.PreventPodSchedulingIfMissing = ptr(d.Spec.PreventPodSchedulingIfMissing == nil || !*d.Spec.PreventPodSchedulingIfMissing)
	default:
		d.Spec.StorageCapacity = ptr(!(d.Spec.StorageCapacity != nil && *d.Spec.StorageCapacity))
	}
	c.update(d)
	return true
}

// csiNodeChanged is a kubelet that registers, loses or learns about its drivers.
func (c *changer) csiNodeChanged() bool {
	from, ok := some(c.gen, c.csiNodes)
	if !ok {
		return false
	}
	if c.p(0.4) && c.csiNodeAdded(from) {
		return true
	}
	switch c.n(6) {
	case 0:
		from, _ = take(c.gen, &c.csiNodes)
		if len(c.csiNodes) == 0 {
			c.csiNodes = append(c.csiNodes, from)
			return false
		}
		c.remove(from)
		return true
	case 1:
		from.Annotations = map[string]string{migratedKey: pick(c.gen, migratedPlugins)}
	case 2: // one more driver
		name := pick(c.gen, []string{csiDriver, csiPlain, ebsDriver, gceDriver})
		if slices.ContainsFunc(from.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == name }) {
			return false
		}
		from.Spec.Drivers = append(slices.Clone(from.Spec.Drivers), c.csiNodeDriver(&storage{}, name, from.Name))
	default: // another limit
		if len(from.Spec.Drivers) == 0 {
			return false
		}
		count := int32(c.between(0, 6))
		from.Spec.Drivers = slices.Clone(from.Spec.Drivers)
		from.Spec.Drivers[c.n(len(from.Spec.Drivers))].Allocatable = &storagev1.VolumeNodeResources{Count: &count}
	}
	c.update(from)
	return true
}

// csiNodeAdded gives a node what another reports.
func (c *changer) csiNodeAdded(from *storagev1.CSINode) bool {
	for _, n := range c.up {
		if slices.ContainsFunc(c.csiNodes, func(x *storagev1.CSINode) bool { return x.Name == n.Name }) || c.p(0.3) {
			continue
		}
		x := from.DeepCopy()
		x.Name, x.UID = n.Name, c.uid()
		x.OwnerReferences = nil
		for i := range x.Spec.Drivers {
			x.Spec.Drivers[i].NodeID = n.Name
		}
		c.csiNodes = append(c.csiNodes, x)
		c.add(x)
		return true
	}
	return false
}

func (c *changer) capacityChanged() bool {
	x, ok := some(c.gen, c.capacities)
	if !ok {
		return false
	}
	size := q(pick(c.gen, []string{"0", "1Gi", "10Gi", "100Gi"}))
	switch c.n(6) {
	case 0:
		x = x.DeepCopy()
		x.Name, x.UID = c.name("capacity-late"), c.uid()
		x.NodeTopology = &metav1.LabelSelector{}
		x.Capacity, x.MaximumVolumeSize = &size, nil
		c.capacities = append(c.capacities, x)
		c.add(x)
		return true
	case 1:
		x, _ = take(c.gen, &c.capacities)
		c.remove(x)
		return true
	case 2: // the driver cannot tell
		x.Capacity, x.MaximumVolumeSize = nil, nil
	case 3:
		x.Capacity, x.MaximumVolumeSize = &size, ptr(resource.MustParse("5Gi"))
	default:
		x.Capacity, x.MaximumVolumeSize = &size, nil
	}
	c.update(x)
	return true
}
