package scenario

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func (c *changer) podAdded() bool {
	from, ok := some(c.gen, c.pending)
	if !ok {
		return false
	}
	p := from.DeepCopy()
	p.Name, p.UID = c.podName("late"), c.uid()
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = nil, nil
	p.Spec.NodeName = ""
	p.Status = corev1.PodStatus{}
	for _, rc := range p.Spec.ResourceClaims { // the claim would be another's
		if rc.ResourceClaimName == nil && rc.ResourceClaimTemplateName == nil {
			return false
		}
	}
	if len(c.classes) > 0 && c.p(0.3) {
		class := pick(c.gen, c.classes)
		p.Spec.PriorityClassName = class.Name
		p.Spec.Priority, p.Spec.PreemptionPolicy = nil, nil
		if !c.o.UserForm {
			c.resolvePriority(p)
		}
	}
	p.CreationTimestamp = c.at(700 + len(c.pending))
	c.pending = append(c.pending, p)
	c.waiting = append(c.waiting, p)
	c.lookAt(p)
	c.add(p)
	return true
}

func (c *changer) podUpdated() bool {
	p, ok := some(c.gen, c.waiting)
	if !ok {
		return false
	}
	op := c.n(4)
	if op > 0 && c.p(0.6) { // what the kind is about
		switch c.kind {
		case "interpodaffinity", "topologyspread":
			op = 0
		case "taints":
			op = 1
		}
	}
	switch op {
	case 0:
		if p.Labels == nil {
			p.Labels = map[string]string{}
		}
		if c.p(0.5) && p.Labels["app"] != "" {
			p.Labels["app"] = pick(c.gen, apps)
		} else {
			p.Labels["track"] = pick(c.gen, []string{"stable", "canary"})
		}
	case 1:
		for _, t := range p.Spec.Tolerations {
			if t.Operator == corev1.TolerationOpExists && t.Key == "" && t.Effect == "" {
				return false
			}
		}
		p.Spec.Tolerations = append(slices.Clone(p.Spec.Tolerations), corev1.Toleration{Operator: corev1.TolerationOpExists})
	case 2:
		if p.Spec.Resources != nil || p.Spec.Overhead != nil {
			return false
		}
		r := &p.Spec.Containers[0].Resources
		cpu, ok := r.Requests[corev1.ResourceCPU]
		if _, limited := r.Limits[corev1.ResourceCPU]; !ok || limited || cpu.MilliValue() < 2 {
			return false
		}
		r.Requests = r.Requests.DeepCopy()
		r.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(cpu.MilliValue()/2, resource.DecimalSI)
	default:
		c.terminate(p)
		c.waiting = slices.DeleteFunc(slices.Clone(c.waiting), func(x *corev1.Pod) bool { return x == p })
	}
	c.updateSpec(p)
	return true
}

func (c *changer) gatesGone() bool {
	var gated []*corev1.Pod
	for _, p := range c.waiting {
		if len(p.Spec.SchedulingGates) > 0 {
			gated = append(gated, p)
		}
	}
	p, ok := some(c.gen, gated)
	if !ok {
		return false
	}
	if c.p(0.7) {
		p.Spec.SchedulingGates = nil
	} else {
		p.Spec.SchedulingGates = p.Spec.SchedulingGates[1:]
	}
	c.updateSpec(p)
	return true
}

func (c *changer) podGone() bool {
	p, ok := take(c.gen, &c.waiting)
	if !ok {
		return false
	}
	if c.p(0.2) {
		p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}
		c.update(p)
		return true
	}
	c.remove(p)
	return true
}

func (c *changer) runningGone() bool {
	p, ok := take(c.gen, &c.running)
	if !ok {
		return false
	}
	switch {
	case c.p(0.6):
		c.remove(p)
	case c.p(0.5):
		p.Status.Phase = pick(c.gen, []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed})
		c.update(p)
	default:
		c.terminate(p)
		c.updateSpec(p)
	}
	return true
}

func (c *changer) runningLabels() bool {
	p, ok := some(c.gen, c.running)
	if !ok {
		return false
	}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	if c.p(0.7) {
		p.Labels["app"] = pick(c.gen, apps)
	} else {
		p.Labels["tier"] = pick(c.gen, []string{"front", "back"})
	}
	c.updateSpec(p)
	return true
}

// runningResized gives a running pod another request, which it holds already or not yet.
func (c *changer) runningResized() bool {
	p, ok := some(c.gen, c.running)
	if !ok || p.Spec.Resources != nil || len(p.Status.ResourceClaimStatuses) > 0 {
		return false
	}
	con := &p.Spec.Containers[0]
	cpu, ok := con.Resources.Requests[corev1.ResourceCPU]
	if _, limited := con.Resources.Limits[corev1.ResourceCPU]; !ok || limited || cpu.MilliValue() < 2 {
		return false
	}
	con.Resources.Requests = con.Resources.Requests.DeepCopy()
	now := resource.NewMilliQuantity(cpu.MilliValue()/2, resource.DecimalSI)
	if c.p(0.4) {
		now = resource.NewMilliQuantity(cpu.MilliValue()*2, resource.DecimalSI)
	}
	con.Resources.Requests[corev1.ResourceCPU] = *now
	held := con.Resources.Requests.DeepCopy()
	if c.p(0.3) {
		held[corev1.ResourceCPU] = cpu
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: con.Name, Image: con.Image, ImageID: con.Image, Ready: true, Started: ptr(true),
		State:              corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: c.at(1)}},
		AllocatedResources: held,
		Resources:          &corev1.ResourceRequirements{Requests: held.DeepCopy()},
	}}
	c.update(p)
	return true
}

// runningAdded is a pod that someone else has bound.
func (c *changer) runningAdded() bool {
	from, ok := some(c.gen, c.existing)
	n, up := some(c.gen, c.up)
	if !ok || !up || len(from.Spec.ResourceClaims) > 0 {
		return false
	}
	p := from.DeepCopy()
	p.Name, p.UID = c.podName("other"), c.uid()
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = nil, nil
	p.Spec.NodeName = n.Name
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: ptr(c.at(720))}
	c.running = append(c.running, p)
	c.add(p)
	return true
}
