package scenario

import (
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func (c *changer) nodeAdded() bool {
	if len(c.down) > 0 && c.p(0.4) {
		n, _ := take(c.gen, &c.down)
		c.up = append(c.up, n)
		c.add(n)
		return true
	}
	old, ok := some(c.gen, c.nodes)
	if !ok {
		return false
	}
	n := old.DeepCopy()
	n.Name, n.UID = c.name("fresh"), c.uid()
	n.Labels[lHost] = n.Name
	if c.p(0.5) {
		n.Spec.Taints, n.Spec.Unschedulable = nil, false
	}
	if z := n.Labels[lZone]; z != "" && c.p(0.4) {
		n.Labels[lZone] = pick(c.gen, append(slices.Clone(zoneNames), "zone-new"))
	}
	c.nodes = append(c.nodes, n)
	c.up = append(c.up, n)
	c.add(n)
	return true
}

func (c *changer) nodeGone() bool {
	if len(c.up) < 2 {
		return false
	}
	n, _ := take(c.gen, &c.up)
	c.down = append(c.down, n)
	c.remove(n)
	return true
}

func (c *changer) nodeLabels() bool {
	n, ok := some(c.gen, c.up)
	if !ok {
		return false
	}
	// Take over a label of another node, or lose one.
	from := pick(c.gen, c.nodes)
	keys := sortedKeys(from.Labels)
	if (c.kind == "interpodaffinity" || c.kind == "topologyspread") && c.p(0.7) { // what pods are counted by
		keys = []string{lZone, lRegion, "rack"}
	}
	if len(keys) == 0 {
		return false
	}
	k := pick(c.gen, keys)
	switch {
	case k == lHost:
		n.Labels["disktype"] = pick(c.gen, []string{"ssd", "hdd", "nvme"})
	case from.Labels[k] == "" || c.p(0.15):
		delete(n.Labels, k)
	default:
		n.Labels[k] = from.Labels[k]
	}
	c.updateSpec(n)
	return true
}

func (c *changer) nodeTaints() bool {
	n, ok := some(c.gen, c.up)
	if !ok {
		return false
	}
	for _, m := range c.up { // rather one that has taints
		if len(m.Spec.Taints) > 0 && !m.Spec.Unschedulable && c.p(0.3) {
			n = m
		}
	}
	if n.Spec.Unschedulable {
		return false
	}
	if len(n.Spec.Taints) > 0 && c.p(0.8) {
		i := c.n(len(n.Spec.Taints))
		n.Spec.Taints = slices.Delete(slices.Clone(n.Spec.Taints), i, i+1)
	} else {
		for _, t := range n.Spec.Taints {
			if t.Key == "late" {
				return false
			}
		}
		n.Spec.Taints = append(slices.Clone(n.Spec.Taints), corev1.Taint{Key: "late", Value: "yes",
			Effect: pick(c.gen, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule})})
	}
	c.updateSpec(n)
	return true
}

func (c *changer) nodeCordon() bool {
	n, ok := some(c.gen, c.up)
	if !ok {
		return false
	}
	for _, m := range c.up {
		if m.Spec.Unschedulable && c.p(0.5) {
			n = m
		}
	}
	n.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
	n.Spec.Unschedulable = !n.Spec.Unschedulable
	if n.Spec.Unschedulable && c.p(0.7) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	c.updateSpec(n)
	return true
}

func (c *changer) nodeAllocatable() bool {
	n, ok := some(c.gen, c.up)
	if !ok {
		return false
	}
	var names []string
	for k := range n.Status.Allocatable {
		names = append(names, string(k))
	}
	if len(names) == 0 {
		return false
	}
	sort.Strings(names)
	k := corev1.ResourceName(pick(c.gen, names))
	v := n.Status.Allocatable[k].DeepCopy()
	if c.p(0.7) {
		v.Add(n.Status.Allocatable[k])
	} else if half := v.Value() / 2; half > 0 {
		v = *resource.NewQuantity(half, v.Format)
	}
	n.Status.Allocatable[k] = v
	if have, ok := n.Status.Capacity[k]; !ok || have.Cmp(v) < 0 {
		n.Status.Capacity[k] = v.DeepCopy()
	}
	c.update(n)
	return true
}

func (c *changer) nodeStatus() bool {
	n, ok := some(c.gen, c.up)
	if !ok {
		return false
	}
	from := pick(c.gen, c.nodes)
	n.Status.Images = from.Status.Images
	n.Status.DeclaredFeatures = from.Status.DeclaredFeatures
	c.update(n)
	return true
}
