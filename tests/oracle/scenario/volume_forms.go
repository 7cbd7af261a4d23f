package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// volumeForm is one way for a pod to have a volume. It comes six times as often in scenarios of its themes.
type volumeForm struct {
	weight int
	themes string
	make   func(g *gen, s *storage, p *corev1.Pod, size string)
}

var volumeForms = []volumeForm{
	{6, "zones", (*gen).boundForm},
	{4, "limits zones", (*gen).migratedForm},
	{2, "limits", (*gen).pluggedForm},
	{8, "binding", (*gen).staticForm},
	{3, "binding", (*gen).attributesForm},
	{10, "capacity", (*gen).provisionedForm},
	{3, "claims", (*gen).immediateForm},
	{2, "claims", (*gen).missingForm},
	{2, "claims", (*gen).noClassForm},
	{2, "claims", (*gen).lostForm},
	{2, "claims", (*gen).deletingForm},
	{5, "claims disks", (*gen).onceForm},
	{6, "capacity", (*gen).ephemeralForm},
	{8, "disks limits", (*gen).inTreeForm},
	{6, "binding capacity", (*gen).sharedForm},
	{2, "capacity claims", (*gen).inlineCSIForm},
	{5, "binding", (*gen).classlessForm},
	{5, "", func(g *gen, _ *storage, p *corev1.Pod, _ string) { g.harmless(p) }},
	{3, "claims", (*gen).goneForm},
	{3, "binding claims", (*gen).halfBoundForm},
	{3, "binding", (*gen).preboundForm},
	{2, "binding", (*gen).annotatedForm},
}

var volumeThemes = []string{"", "zones", "limits", "binding", "capacity", "", "claims", "disks", "limits", "claims"}

// withVolumes gives a pending pod one to three volumes.
func (g *gen) withVolumes(s *storage, p *corev1.Pod) {
	for i, n := 0, g.weighted(0, 5, 3, 1); i < n; i++ {
		g.oneVolume(s, p)
	}
}

func (g *gen) oneVolume(s *storage, p *corev1.Pod) {
	weights := make([]int, len(volumeForms))
	for i, f := range volumeForms {
		weights[i] = f.weight
		if s.theme != "" && contains(f.themes, s.theme) {
			weights[i] *= 6
		}
	}
	volumeForms[g.weighted(weights...)].make(g, s, p, pick(g, []string{"1Gi", "2Gi", "5Gi", "10Gi", "50Gi"}))
}

// bound makes a claim and a volume that are bound to each other, for the pod to use.
func (g *gen) bound(s *storage, p *corev1.Pod, class, size string, src corev1.PersistentVolumeSource, modes ...corev1.PersistentVolumeAccessMode) (*corev1.PersistentVolumeClaim, *corev1.PersistentVolume) {
	v := g.pv(s, class, size, modes...)
	v.Spec.PersistentVolumeSource = src
	if src.CSI != nil && src.CSI.VolumeHandle == "" {
		v.Spec.CSI.VolumeHandle = v.Name
	}
	c := g.claim(s, p.Namespace, ptr(class), size, modes...)
	join(c, v)
	mount(p, c.Name)
	return c, v
}

func (g *gen) boundForm(s *storage, p *corev1.Pod, _ string) { g.boundVolume(s, p, nil) }

// boundVolume gives the pod a bound claim; node is where it must be reachable from, or nil.
func (g *gen) boundVolume(s *storage, p *corev1.Pod, node *corev1.Node) {
	switch g.n(3) {
	case 0:
		name := "gone-node"
		if node != nil {
			name = node.Name
		} else if g.p(0.9) {
			name = pick(g, g.nodes).Name
		}
		_, v := g.bound(s, p, "local", "10Gi", localSource())
		v.Spec.NodeAffinity = inNodes(lHost, name)
	case 1:
		_, v := g.bound(s, p, "csi-zonal", "10Gi", csiSource(csiDriver, ""))
		if node == nil {
			g.zonal(v)
		} else if z := node.Labels[lZone]; z != "" {
			v.Labels = map[string]string{lZone: z}
		}
	default:
		g.bound(s, p, "csi-wait", "1Gi", csiSource(pick(g, []string{csiDriver, csiPlain}), ""))
	}
}

// pluggedForm is a bound volume that any node can reach: only the number of volumes counts.
func (g *gen) pluggedForm(s *storage, p *corev1.Pod, size string) {
	driver := pick(g, []string{csiDriver, csiDriver, csiPlain})
	g.bound(s, p, "csi-wait", size, csiSource(driver, ""))
}

// migrated draws a volume of a plugin that has a CSI driver in its stead, and its class.
func (g *gen) migrated() (string, corev1.PersistentVolumeSource) {
	disk := fmt.Sprintf("disk%d", g.n(1000))
	switch g.n(7) {
	case 0:
		id := fmt.Sprintf("aws://us-east-1a/vol-%012x", g.r.Uint64()>>16)
		return "ebs", corev1.PersistentVolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: id, FSType: "ext4"}}
	case 1:
		return "gce", corev1.PersistentVolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: disk, FSType: "ext4"}}
	case 2:
		return "azure", corev1.PersistentVolumeSource{AzureDisk: g.azureDisk(disk, false)}
	case 3: // can be translated, but is not
		return "csi-wait", corev1.PersistentVolumeSource{VsphereVolume: &corev1.VsphereVirtualDiskVolumeSource{VolumePath: "[store] " + disk}}
	case 4:
		return "csi-wait", corev1.PersistentVolumeSource{AzureFile: &corev1.AzureFilePersistentVolumeSource{SecretName: "azure", ShareName: disk, SecretNamespace: ptr("default")}}
	case 5:
		return "cinder", corev1.PersistentVolumeSource{Cinder: &corev1.CinderPersistentVolumeSource{VolumeID: disk, FSType: "ext4"}}
	}
	return "portworx", corev1.PersistentVolumeSource{PortworxVolume: &corev1.PortworxVolumeSource{VolumeID: disk, FSType: "ext4"}}
}

func (g *gen) azureDisk(name string, readOnly bool) *corev1.AzureDiskVolumeSource {
	return &corev1.AzureDiskVolumeSource{DiskName: name, DataDiskURI: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/" + name,
		Kind: ptr(corev1.AzureManagedDisk), CachingMode: ptr(corev1.AzureDataDiskCachingReadWrite), FSType: ptr("ext4"), ReadOnly: ptr(readOnly)}
}

func (g *gen) migratedForm(s *storage, p *corev1.Pod, size string) {
	if g.p(0.02) {
		g.untranslatable(s, p)
		return
	}
	class, src := g.migrated()
	_, v := g.bound(s, p, class, size, src)
	if g.p(0.7) {
		g.zonal(v)
	}
	if src.GCEPersistentDisk != nil && len(v.Labels) == 0 && v.Spec.NodeAffinity == nil && g.p(0.5) {
		v.Labels = map[string]string{lZone: "zone-a", lRegion: "region-1"}
	}
	g.note("migrated volumes")
}

// untranslatable has an identifier that the API takes and the translation to CSI does not.
func (g *gen) untranslatable(s *storage, p *corev1.Pod) {
	src := &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://us-east-1a/disk-1", FSType: "ext4"}
	if g.p(0.5) {
		inline(p, corev1.VolumeSource{AWSElasticBlockStore: src})
	} else {
		g.bound(s, p, "ebs", "1Gi", corev1.PersistentVolumeSource{AWSElasticBlockStore: src})
	}
	g.note("volumes that cannot be translated")
}

// staticForm has local volumes of several sizes, to be bound when a pod comes.
func (g *gen) staticForm(s *storage, p *corev1.Pod, size string) {
	for i, n := 0, g.between(0, 4); i < n; i++ {
		v := g.localPV(s, pick(g, g.nodes).Name, pick(g, []string{"1Gi", "5Gi", "10Gi", "100Gi"}))
		if g.p(0.3) {
			v.Labels = map[string]string{"grade": pick(g, []string{"gold", "silver"})}
		}
		if g.p(0.1) {
			v.Spec.VolumeMode = ptr(corev1.PersistentVolumeBlock)
		}
		switch g.n(16) {
		case 0: // reserved for another claim
			v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "default", Name: "someone-else"}
		case 1:
			g.deleting(&v.ObjectMeta, pvFinal)
		case 2:
			v.Status.Phase = corev1.VolumePending
		case 3: // its claim is gone
			v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "default", Name: "long-gone", UID: g.uid()}
			v.Status.Phase = corev1.VolumeReleased
		}
	}
	c := g.claim(s, p.Namespace, ptr("local"), size)
	if g.p(0.25) {
		c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"grade": "gold"}}
	}
	if g.p(0.08) {
		c.Spec.VolumeMode = ptr(corev1.PersistentVolumeBlock)
	}
	mount(p, c.Name)
}

// attributesForm has volumes that are there already for a class that could also provision, some with attributes.
func (g *gen) attributesForm(s *storage, p *corev1.Pod, size string) {
	classes := []string{"gold", "silver"}
	for i, n := 0, g.between(1, 3); i < n; i++ {
		v := g.pv(s, "csi-wait", pick(g, []string{"5Gi", "50Gi", "100Gi"}))
		v.Spec.PersistentVolumeSource = csiSource(csiDriver, v.Name)
		if g.p(0.6) {
			v.Spec.VolumeAttributesClassName = ptr(pick(g, classes))
		}
		if g.p(0.5) {
			v.Spec.NodeAffinity = inNodes(lHost, sample(g, g.nodeNames(), 2)...)
		}
	}
	c := g.claim(s, p.Namespace, ptr("csi-wait"), size)
	if g.p(0.6) {
		c.Spec.VolumeAttributesClassName = ptr(pick(g, classes))
	}
	mount(p, c.Name)
	g.note("volume attributes classes")
}

// provisionedForm is provisioned when a pod comes.
func (g *gen) provisionedForm(s *storage, p *corev1.Pod, size string) {
	classes := []string{"csi-wait", "csi-zonal", "plain-wait", "ebs", "gce", "azure", "cinder"}
	if s.theme == "capacity" {
		classes = []string{"csi-wait", "csi-wait", "csi-zonal"}
	}
	class := pick(g, classes)
	c := g.claim(s, p.Namespace, ptr(class), size)
	if g.p(0.1) {
		c.Annotations = map[string]string{selNode: pick(g, g.nodes).Name}
		g.note("selected-node")
	}
	mount(p, c.Name)
	if g.p(0.3) { // another of the same class, so that their sum counts
		mount(p, g.claim(s, p.Namespace, ptr(class), pick(g, []string{"1Gi", "5Gi", "10Gi"})).Name)
	}
}

func (g *gen) immediateForm(s *storage, p *corev1.Pod, size string) {
	mount(p, g.claim(s, p.Namespace, ptr("csi-now"), size).Name)
	g.note("immediate unbound")
}

func (g *gen) missingForm(s *storage, p *corev1.Pod, _ string) {
	mount(p, fmt.Sprintf("no-such-claim-%d", g.n(3)))
	g.note("missing claim")
}

func (g *gen) noClassForm(s *storage, p *corev1.Pod, size string) {
	mount(p, g.claim(s, p.Namespace, ptr("no-such-class"), size).Name)
	g.note("missing class")
}

func (g *gen) lostForm(s *storage, p *corev1.Pod, size string) {
	c := g.claim(s, p.Namespace, ptr("csi-wait"), size)
	c.Spec.VolumeName = "pv-that-is-gone"
	c.Annotations = map[string]string{bindDone: "yes"}
	c.Status.Phase = corev1.ClaimLost
	mount(p, c.Name)
	g.note("lost claim")
}

func (g *gen) deletingForm(s *storage, p *corev1.Pod, size string) {
	c, _ := g.bound(s, p, "csi-wait", size, csiSource(csiDriver, ""))
	g.deleting(&c.ObjectMeta, pvcFinal)
	g.note("claim being deleted")
}

// onceForm is a claim that one pod at a time may use.
func (g *gen) onceForm(s *storage, p *corev1.Pod, size string) {
	for _, sh := range s.shared {
		if sh.ns == p.Namespace && !mounts(p, sh.name) && g.p(0.4) {
			mount(p, sh.name)
			g.note("shared claims")
			return
		}
	}
	c, _ := g.bound(s, p, "csi-wait", size, csiSource(csiDriver, ""), corev1.ReadWriteOncePod)
	s.shared = append(s.shared, sharedClaim{c.Namespace, c.Name})
	g.note("ReadWriteOncePod")
}

func mounts(p *corev1.Pod, claim string) bool {
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim {
			return true
		}
	}
	return false
}

func (g *gen) ephemeralForm(s *storage, p *corev1.Pod, size string) {
	name := fmt.Sprintf("vol-%d", len(p.Spec.Volumes))
	spec := corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: ptr(pick(g, []string{"csi-wait", "plain-wait", "ebs"})),
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: q(size)}},
		VolumeMode:       ptr(corev1.PersistentVolumeFilesystem),
	}
	inline(p, corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: spec}}})
	if g.p(0.7) {
		c := g.claim(s, p.Namespace, spec.StorageClassName, size)
		c.Name = p.Name + "-" + name
		if g.p(0.85) {
			c.OwnerReferences = []metav1.OwnerReference{ownerRef("v1", "Pod", p.Name, string(p.UID))}
		}
	}
	g.note("generic ephemeral volumes")
}

// inTreeForm draws an inline volume of a type that existing pods may conflict with, or that has a CSI driver in its stead.
func (g *gen) inTreeForm(s *storage, p *corev1.Pod, _ string) {
	ro, disks, kinds := g.p(0.4), 3, 8
	switch s.theme {
	case "disks":
		disks, kinds = 1, 4
	case "limits": // not the same disk twice
		disks = 1000
	}
	disk := fmt.Sprintf("disk-%d", g.n(disks))
	switch g.n(kinds) {
	case 0:
		inline(p, corev1.VolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: disk, ReadOnly: ro}})
	case 1:
		inline(p, corev1.VolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: fmt.Sprintf("vol-0%d", g.n(disks)), ReadOnly: ro}})
	case 2:
		inline(p, corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{TargetPortal: pick(g, []string{"10.0.0.1:3260", "10.0.0.2:3260"}),
			IQN: "iqn.2001-04.com.example:storage." + disk, Lun: int32(g.n(2)), ISCSIInterface: "default", ReadOnly: ro}})
	case 3:
		inline(p, corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: sample(g, []string{"10.1.0.1:6789", "10.1.0.2:6789", "10.1.0.3:6789"}, g.between(1, 2)),
			RBDPool: pick(g, []string{"rbd", "rbd", "kube"}), RBDImage: disk, RadosUser: "admin", Keyring: "/etc/ceph/keyring", ReadOnly: ro}})
	case 4:
		inline(p, corev1.VolumeSource{AzureDisk: g.azureDisk(disk, ro)})
	case 5:
		inline(p, corev1.VolumeSource{Cinder: &corev1.CinderVolumeSource{VolumeID: disk, ReadOnly: ro}})
	case 6:
		inline(p, corev1.VolumeSource{VsphereVolume: &corev1.VsphereVirtualDiskVolumeSource{VolumePath: "[store] " + disk}})
	default:
		inline(p, corev1.VolumeSource{PortworxVolume: &corev1.PortworxVolumeSource{VolumeID: disk, ReadOnly: ro}})
	}
	g.note("in-tree volumes")
}

// sharedForm is a claim that several pods use; the first that is placed decides where it will be.
func (g *gen) sharedForm(s *storage, p *corev1.Pod, size string) {
	for _, sh := range s.shared {
		if sh.ns == p.Namespace && !mounts(p, sh.name) && g.p(0.8) {
			mount(p, sh.name)
			return
		}
	}
	c := g.claim(s, p.Namespace, ptr(pick(g, []string{"csi-wait", "plain-wait", "local"})), size, corev1.ReadWriteMany)
	if *c.Spec.StorageClassName == "local" {
		g.localPV(s, pick(g, g.nodes).Name, "100Gi").Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	}
	mount(p, c.Name)
	s.shared = append(s.shared, sharedClaim{c.Namespace, c.Name})
}

func (g *gen) inlineCSIForm(s *storage, p *corev1.Pod, size string) {
	inline(p, corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: csiDriver}})
	g.provisionedForm(s, p, size)
}

// classlessForm has no class: static volumes only.
func (g *gen) classlessForm(s *storage, p *corev1.Pod, size string) {
	for i, n := 0, g.between(0, 2); i < n; i++ {
		v := g.pv(s, "", pick(g, []string{"1Gi", "10Gi", "60Gi"}), sample(g, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany}, g.between(1, 3))...)
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs.example", Path: "/export"}}
	}
	c := g.claim(s, p.Namespace, ptr(""), size, pick(g, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany}))
	mount(p, c.Name)
	if g.p(0.3) {
		v := g.pv(s, "", size, c.Spec.AccessModes...)
		v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs.example", Path: "/export"}}
		join(c, v)
	}
}

// goneForm is a bound claim whose volume is not there: its class says which driver it counts for.
func (g *gen) goneForm(s *storage, p *corev1.Pod, size string) {
	c := g.claim(s, p.Namespace, ptr(pick(g, []string{"csi-wait", "plain-wait", "ebs", "gce", "", "no-such-class"})), size)
	c.Spec.VolumeName = "pv-that-is-gone"
	c.Annotations = map[string]string{bindDone: "yes"}
	c.Status.Phase = corev1.ClaimBound
	mount(p, c.Name)
	g.note("missing volume")
}

// halfBoundForm is bound to a volume by the claim's maker, not yet by the controller.
func (g *gen) halfBoundForm(s *storage, p *corev1.Pod, size string) {
	v := g.localPV(s, pick(g, g.nodes).Name, "100Gi")
	c := g.claim(s, p.Namespace, ptr("local"), size)
	c.Spec.VolumeName = v.Name
	mount(p, c.Name)
	g.note("half-bound claim")
}

// preboundForm is a volume that names the claim first.
func (g *gen) preboundForm(s *storage, p *corev1.Pod, size string) {
	c := g.claim(s, p.Namespace, ptr("local"), size)
	v := g.localPV(s, pick(g, g.nodes).Name, "100Gi")
	v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name}
	mount(p, c.Name)
	g.note("pre-bound volume")
}

// annotatedForm says its class in the old annotation. With a class that provisions and tells capacities kube-scheduler
// v1.37.2 crashes when it is to score that.
func (g *gen) annotatedForm(s *storage, p *corev1.Pod, size string) {
	for i, n := 0, g.between(1, 3); i < n; i++ {
		v := g.localPV(s, pick(g, g.nodes).Name, "100Gi")
		if g.p(0.5) {
			v.Annotations = map[string]string{classOfOld: "local"}
			v.Spec.StorageClassName = ""
		}
	}
	c := g.claim(s, p.Namespace, nil, size)
	c.Annotations = map[string]string{classOfOld: "local"}
	mount(p, c.Name)
	g.note("class by annotation")
}
