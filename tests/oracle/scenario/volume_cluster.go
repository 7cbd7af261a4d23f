package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	csiDriver      = "csi.example.com"
	csiPlain       = "plain.csi.example.com"
	ebsDriver      = "ebs.csi.aws.com"
	gceDriver      = "pd.csi.storage.gke.io"
	azureDriver    = "disk.csi.azure.com"
	cinderDriver   = "cinder.csi.openstack.org"
	portworxDriver = "pxd.portworx.com"
	migratedKey    = "storage.alpha.kubernetes.io/migrated-plugins"
)

// storage is what setupVolumes made and the pods of a scenario share.
type storage struct {
	theme  string // what the scenario has more of; empty: a bit of all
	shared []sharedClaim
	pvSeq  int
	pvcSeq int
}

type sharedClaim struct{ ns, name string }

// setupVolumes makes the classes, drivers and capacities of a cluster, and what its nodes report.
func (g *gen) setupVolumes(theme string) *storage {
	s := &storage{theme: theme}
	g.storageClasses()
	g.csiDrivers()
	if theme == "capacity" || g.p(0.7) {
		g.storageCapacities(s)
	}
	for _, n := range g.nodes {
		if !g.p(0.2) {
			g.csiNode(s, n)
		}
	}
	return s
}

func (g *gen) storageClass(name, provisioner string, mode storagev1.VolumeBindingMode, zones []string, annotations map[string]string) {
	sc := &storagev1.StorageClass{
		TypeMeta:          metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta:        metav1.ObjectMeta{Name: name, Annotations: annotations},
		Provisioner:       provisioner,
		VolumeBindingMode: &mode,
		ReclaimPolicy:     ptr(corev1.PersistentVolumeReclaimDelete),
	}
	if len(zones) > 0 {
		sc.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: lZone, Values: zones}}}}
	}
	g.first = append(g.first, sc)
}

func (g *gen) storageClasses() {
	wait, now := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	g.storageClass("local", "kubernetes.io/no-provisioner", wait, nil, nil)
	g.storageClass("csi-wait", csiDriver, wait, nil, map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	g.storageClass("csi-zonal", csiDriver, wait, sample(g, zoneNames, g.between(1, 2)), nil)
	g.storageClass("csi-now", csiDriver, now, nil, nil)
	g.storageClass("plain-wait", csiPlain, wait, nil, nil)
	g.storageClass("ebs", "kubernetes.io/aws-ebs", wait, nil, nil)
	g.storageClass("gce", "kubernetes.io/gce-pd", wait, nil, nil)
	g.storageClass("azure", "kubernetes.io/azure-disk", wait, nil, nil)
	g.storageClass("cinder", "kubernetes.io/cinder", wait, nil, nil)
	g.storageClass("portworx", "kubernetes.io/portworx-volume", wait, nil, nil)
}

func (g *gen) csiDriver(name string, capacity bool) *storagev1.CSIDriver {
	d := &storagev1.CSIDriver{
		TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSIDriver"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: storagev1.CSIDriverSpec{
			AttachRequired: ptr(true), PodInfoOnMount: ptr(false), RequiresRepublish: ptr(false), SELinuxMount: ptr(false),
			StorageCapacity: ptr(capacity), FSGroupPolicy: ptr(storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy),
			VolumeLifecycleModes: []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent, storagev1.VolumeLifecycleEphemeral},
		},
	}
	if g.p(0.3) {
		d.Spec.PreventPodSchedulingIfMissing = ptr(g.p(0.8))
		if *d.Spec.PreventPodSchedulingIfMissing {
			g.note("drivers that have to be on the node")
		}
	}
	return d
}

func (g *gen) csiDrivers() {
	g.first = append(g.first, g.csiDriver(csiDriver, true), g.csiDriver(csiPlain, false), g.csiDriver(ebsDriver, false))
	for _, name := range []string{gceDriver, azureDriver} {
		if g.p(0.3) {
			g.first = append(g.first, g.csiDriver(name, false))
		}
	}
}

// storageCapacities never has a maximum size alone: kube-scheduler v1.37.2 crashes when it is to score such a one.
func (g *gen) storageCapacities(s *storage) {
	g.addNamespace("kube-system", map[string]string{"kubernetes.io/metadata.name": "kube-system"})
	for i, n := 0, g.between(1, 6); i < n; i++ {
		c := &storagev1.CSIStorageCapacity{
			TypeMeta:         metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSIStorageCapacity"},
			ObjectMeta:       metav1.ObjectMeta{Namespace: "kube-system", Name: fmt.Sprintf("capacity-%d", i)},
			StorageClassName: pick(g, []string{"csi-wait", "csi-zonal", "csi-wait"}),
		}
		switch g.n(5) {
		case 0, 1:
			c.NodeTopology = &metav1.LabelSelector{}
		case 2:
			c.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{lHost: pick(g, g.nodes).Name}}
		case 3:
			c.NodeTopology = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: lZone, Operator: metav1.LabelSelectorOpIn, Values: sample(g, zoneNames, g.between(1, 2))}}}
		}
		if g.p(0.9) {
			c.Capacity = ptr(q(pick(g, []string{"0", "1Gi", "5Gi", "20Gi", "100Gi", "100Gi"})))
			if g.p(0.3) { // also more than there is: only then can a request be more than the capacity
				c.MaximumVolumeSize = ptr(q(pick(g, []string{"2Gi", "10Gi"})))
			}
		}
		g.first = append(g.first, c)
	}
	g.note("storage capacity")
}

// csiNode is what the kubelet of a node reports of its drivers.
func (g *gen) csiNode(s *storage, n *corev1.Node) {
	c := &storagev1.CSINode{
		TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSINode"},
		ObjectMeta: metav1.ObjectMeta{Name: n.Name},
	}
	for _, d := range []string{csiDriver, csiPlain, ebsDriver, gceDriver, azureDriver, cinderDriver, portworxDriver} {
		if g.p(0.6) {
			c.Spec.Drivers = append(c.Spec.Drivers, g.csiNodeDriver(s, d, n.Name))
		}
	}
	if g.p(0.6) {
		c.Annotations = map[string]string{migratedKey: pick(g, migratedPlugins)}
	}
	g.after = append(g.after, c)
}

var migratedPlugins = []string{
	"kubernetes.io/aws-ebs", "kubernetes.io/aws-ebs,kubernetes.io/gce-pd", "kubernetes.io/azure-disk,kubernetes.io/gce-pd",
	"kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/cinder,kubernetes.io/gce-pd,kubernetes.io/portworx-volume",
	"kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/cinder,kubernetes.io/gce-pd,kubernetes.io/portworx-volume", "",
}

func (g *gen) csiNodeDriver(s *storage, name, node string) storagev1.CSINodeDriver {
	d := storagev1.CSINodeDriver{Name: name, NodeID: node}
	if g.p(0.5) {
		d.TopologyKeys = []string{lZone}
	}
	limited := 0.5
	limits := []int{0, 1, 1, 2, 3, 25}
	if s.theme == "limits" {
		limited, limits = 0.95, []int{0, 1, 1, 1, 2, 2}
	}
	if g.p(limited) {
		d.Allocatable = &storagev1.VolumeNodeResources{Count: ptr(int32(pick(g, limits)))}
	} else if g.p(0.2) {
		d.Allocatable = &storagev1.VolumeNodeResources{} // a driver that tells no number
	}
	return d
}
