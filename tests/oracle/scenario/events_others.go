package scenario

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

func (c *changer) namespaceLabels() bool {
	n, ok := some(c.gen, c.ownNS)
	if !ok {
		return false
	}
	if c.p(0.7) {
		n.Labels["team"] = pick(c.gen, []string{"red", "blue"})
	} else {
		n.Labels["env"] = pick(c.gen, []string{"prod", "dev"})
	}
	c.update(n)
	return true
}

func (c *changer) budgetChanged() bool {
	b, ok := some(c.gen, c.budgetList)
	if !ok {
		return false
	}
	if c.p(0.2) {
		b, _ = take(c.gen, &c.budgetList)
		c.remove(b)
		return true
	}
	b.Status.DisruptionsAllowed = int32(pick(c.gen, []int{0, 1, 3}))
	b.Status.CurrentHealthy = b.Status.DesiredHealthy + b.Status.DisruptionsAllowed
	b.Status.ExpectedPods = max(b.Status.ExpectedPods, b.Status.CurrentHealthy)
	c.update(b)
	return true
}

func (c *changer) serviceChanged() bool {
	if s, ok := take(c.gen, &c.services); ok && c.p(0.6) {
		c.remove(s)
		return true
	}
	n := len(c.first)
	c.service(c.ns(), c.name("late"), map[string]string{"app": pick(c.gen, apps)})
	s := c.first[n].(*corev1.Service)
	c.first = c.first[:n]
	c.services = append(c.services, s)
	c.add(s)
	return true
}

func (c *changer) sliceChanged() bool {
	s, ok := some(c.gen, c.slices)
	if !ok || len(s.Spec.Devices) == 0 {
		return false
	}
	i := c.n(len(s.Spec.Devices))
	s.Spec.Devices = slices.Clone(s.Spec.Devices)
	switch {
	case len(s.Spec.Devices) > 1 && c.p(0.4):
		s.Spec.Devices = slices.Delete(s.Spec.Devices, i, i+1)
	case len(s.Spec.Devices[i].Taints) > 0:
		s.Spec.Devices[i].Taints = nil
	case c.p(0.4):
		s.Spec.Devices[i].Taints = []resourcev1.DeviceTaint{{Key: "example.com/late", Effect: resourcev1.DeviceTaintEffectNoSchedule, TimeAdded: ptr(c.at(700))}}
	default:
		if len(s.Spec.Devices[i].ConsumesCounters) > 0 || len(s.Spec.Devices) > 100 {
			return false
		}
		d := *s.Spec.Devices[i].DeepCopy()
		d.Name = c.name("late")
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
	if s.Spec.Pool.ResourceSliceCount == 1 {
		s.Spec.Pool.Generation++
	}
	c.update(s)
	return true
}

// sliceAdded publishes devices on another node.
func (c *changer) sliceAdded() bool {
	from, ok := some(c.gen, c.slices)
	n, up := some(c.gen, c.up)
	if !ok || !up || from.Spec.NodeName == nil || len(from.Spec.SharedCounters) > 0 {
		return false
	}
	for _, d := range from.Spec.Devices {
		if len(d.ConsumesCounters) > 0 {
			return false
		}
	}
	s := from.DeepCopy()
	s.Name, s.UID = c.name("late-slice"), c.uid()
	s.OwnerReferences = nil
	s.Spec.NodeName = ptr(n.Name)
	s.Spec.Pool = resourcev1.ResourcePool{Name: s.Name, Generation: 1, ResourceSliceCount: 1}
	c.slices = append(c.slices, s)
	c.add(s)
	return true
}

func (c *changer) deviceClaim() bool {
	if x, ok := take(c.gen, &c.missingDRA); ok {
		c.deviceClaims = append(c.deviceClaims, x)
		c.add(x)
		return true
	}
	var free []*resourcev1.ResourceClaim
	for _, x := range c.deviceClaims {
		if x.Status.Allocation == nil && len(x.Status.ReservedFor) == 0 {
			free = append(free, x)
		}
	}
	x, ok := some(c.gen, free)
	if !ok {
		return false
	}
	c.deviceClaims = slices.DeleteFunc(slices.Clone(c.deviceClaims), func(y *resourcev1.ResourceClaim) bool { return y == x })
	c.missingDRA = append(c.missingDRA, x)
	c.remove(x)
	return true
}

func (c *changer) deviceClassChanged() bool {
	x, ok := some(c.gen, c.deviceClasses)
	if !ok {
		return false
	}
	if c.p(0.4) { // a new one, which may stand behind a resource
		x = x.DeepCopy()
		x.Name, x.UID, x.Spec.ExtendedResourceName = c.name("late-class"), c.uid(), nil
		if c.p(0.6) {
			x.Spec.ExtendedResourceName = ptr(pick(c.gen, []string{string(draGPU), string(widget)}))
		}
		c.deviceClasses = append(c.deviceClasses, x)
		c.add(x)
		return true
	}
	if c.p(0.3) && x.Spec.ExtendedResourceName == nil {
		x.Spec.ExtendedResourceName = ptr(pick(c.gen, []string{string(draGPU), "example.com/" + c.name("late")}))
	} else if len(x.Spec.Selectors) > 1 {
		x.Spec.Selectors = x.Spec.Selectors[:1]
	} else if c.p(0.5) && len(c.deviceClasses) > 1 {
		x.Spec.Selectors = pick(c.gen, c.deviceClasses).Spec.Selectors
	}
	c.update(x)
	return true
}
