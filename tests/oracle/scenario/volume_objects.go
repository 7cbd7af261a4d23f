package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	bindDone   = "pv.kubernetes.io/bind-completed"
	byCtrl     = "pv.kubernetes.io/bound-by-controller"
	selNode    = "volume.kubernetes.io/selected-node"
	classOfOld = "volume.beta.kubernetes.io/storage-class"
	pvcFinal   = "kubernetes.io/pvc-protection"
	pvFinal    = "kubernetes.io/pv-protection"
)

func inNodes(key string, values ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}}
}

func (g *gen) pv(s *storage, class, size string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolume {
	s.pvSeq++
	if len(modes) == 0 {
		modes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	}
	v := &corev1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pv-%d", s.pvSeq), UID: g.uid()},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: q(size)},
			AccessModes:                   modes,
			StorageClassName:              class,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			VolumeMode:                    ptr(corev1.PersistentVolumeFilesystem),
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	g.after = append(g.after, v)
	return v
}

func csiSource(driver, handle string) corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}}
}

func localSource() corev1.PersistentVolumeSource {
	return corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: "/mnt/disks/ssd0"}}
}

// localPV makes an available volume on one node.
func (g *gen) localPV(s *storage, node, size string) *corev1.PersistentVolume {
	v := g.pv(s, "local", size)
	v.Spec.PersistentVolumeSource = localSource()
	v.Spec.NodeAffinity = inNodes(lHost, node)
	return v
}

func (g *gen) claim(s *storage, ns string, class *string, size string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
	s.pvcSeq++
	if len(modes) == 0 {
		modes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	}
	c := &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: fmt.Sprintf("claim-%d", s.pvcSeq), UID: g.uid(), Finalizers: []string{pvcFinal}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      modes,
			StorageClassName: class,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: q(size)}},
			VolumeMode:       ptr(corev1.PersistentVolumeFilesystem),
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	g.after = append(g.after, c)
	return c
}

// join binds a claim and a volume to each other.
func join(c *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
	c.Spec.VolumeName = v.Name
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[bindDone] = "yes"
	c.Annotations[byCtrl] = "yes"
	c.Status.Phase = corev1.ClaimBound
	c.Status.AccessModes = v.Spec.AccessModes
	c.Status.Capacity = v.Spec.Capacity
	v.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID}
	v.Status.Phase = corev1.VolumeBound
}

func mount(p *corev1.Pod, claim string) {
	name := fmt.Sprintf("vol-%d", len(p.Spec.Volumes))
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
}

func inline(p *corev1.Pod, src corev1.VolumeSource) {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("vol-%d", len(p.Spec.Volumes)), VolumeSource: src})
}

func (g *gen) harmless(p *corev1.Pod) {
	switch g.n(5) {
	case 0:
		inline(p, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
	case 1:
		inline(p, corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/log"}})
	case 2:
		inline(p, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}})
	case 3:
		inline(p, corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: csiDriver}})
	default:
		inline(p, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}})
	}
}

// deleting marks a claim or a volume that somebody uses still.
func (g *gen) deleting(m *metav1.ObjectMeta, finalizer string) {
	t := g.at(590)
	m.DeletionTimestamp = &t
	m.DeletionGracePeriodSeconds = ptr(int64(0))
	m.Finalizers = []string{finalizer}
}

// zonal labels a volume with its zone, as cloud providers did and do.
func (g *gen) zonal(v *corev1.PersistentVolume) {
	z := pick(g, []string{"zone-a", "zone-a", "zone-b", "zone-c", "zone-a__zone-b", "zone-b__zone-c", "zone-x"})
	if g.p(0.04) {
		z = pick(g, []string{"", "zone-a__", "zone-a____zone-b"}) // no set of zones: the label is not looked at
		g.note("odd zone labels")
	}
	switch g.n(6) {
	case 0:
		v.Labels = map[string]string{lZone: z}
	case 1:
		v.Labels = map[string]string{lZoneB: z}
	case 2:
		v.Labels = map[string]string{lZone: z, lRegion: pick(g, []string{"region-1", "region-1", "region-2"})}
	case 3:
		v.Labels = map[string]string{lZoneB: z, lRegB: pick(g, []string{"region-1", "region-1", "region-2"})}
	case 4:
		v.Labels = map[string]string{lRegB: pick(g, []string{"region-1", "region-1", "region-1__region-2", "region-2"})}
	default:
		v.Spec.NodeAffinity = inNodes(pick(g, []string{lZone, lZone, lZoneB}), sample(g, zoneNames, g.between(1, 2))...)
		if g.p(0.3) { // either of two terms
			v.Spec.NodeAffinity.Required.NodeSelectorTerms = append(v.Spec.NodeAffinity.Required.NodeSelectorTerms,
				inNodes(lHost, pick(g, g.nodes).Name).Required.NodeSelectorTerms...)
		}
	}
}
