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

// stuck picks a waiting pod, rather one that looks hard to place: hints are asked for those that wait.
func (c *changer) stuck() (*corev1.Pod, bool) {
	p, ok := some(c.gen, c.waiting)
	hard := func(p *corev1.Pod) bool { return demanding(p) || c.kind == "taints" && len(p.Spec.Tolerations) == 0 }
	for try := 0; ok && try < 5 && !hard(p); try++ {
		p = pick(c.gen, c.waiting)
	}
	return p, ok
}

// demanding says whether a pod asks for more than resources, or for much.
func demanding(p *corev1.Pod) bool {
	if a := p.Spec.Affinity; a != nil {
		if a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 ||
			a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 ||
			a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
			return true
		}
	}
	for _, t := range p.Spec.TopologySpreadConstraints {
		if t.WhenUnsatisfiable == corev1.DoNotSchedule {
			return true
		}
	}
	cpu, mem := podCost(p)
	return len(p.Spec.NodeSelector) > 0 || cpu >= 2000 || mem >= 4<<30
}

// podRelabelled gives a waiting pod another label.
func (c *changer) podRelabelled() bool {
	p, ok := c.stuck()
	if !ok {
		return false
	}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	if c.p(0.5) && p.Labels["app"] != "" {
		p.Labels["app"] = pick(c.gen, apps)
	} else {
		p.Labels["track"] = pick(c.gen, []string{"stable", "canary"})
	}
	c.updateSpec(p)
	return true
}

// podTolerates gives a waiting pod one more toleration.
func (c *changer) podTolerates() bool {
	p, ok := c.stuck()
	if !ok {
		return false
	}
	for _, t := range p.Spec.Tolerations {
		if t.Operator == corev1.TolerationOpExists && t.Key == "" && t.Effect == "" {
			return false
		}
	}
	t := corev1.Toleration{Operator: corev1.TolerationOpExists}
	if c.p(0.5) {
		t.Key = pick(c.gen, append(slices.Clone(taintKeys), "late", corev1.TaintNodeUnschedulable))
	}
	p.Spec.Tolerations = append(slices.Clone(p.Spec.Tolerations), t)
	c.updateSpec(p)
	return true
}

// podShrinks halves what a waiting pod asks for.
func (c *changer) podShrinks() bool {
	p, ok := c.stuck()
	if !ok || p.Spec.Resources != nil || p.Spec.Overhead != nil {
		return false
	}
	r := &p.Spec.Containers[0].Resources
	cpu, ok := r.Requests[corev1.ResourceCPU]
	if _, limited := r.Limits[corev1.ResourceCPU]; !ok || limited || cpu.MilliValue() < 2 {
		return false
	}
	r.Requests = r.Requests.DeepCopy()
	r.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(cpu.MilliValue()/2, resource.DecimalSI)
	c.updateSpec(p)
	return true
}

// podEnds is a waiting pod that is being deleted.
func (c *changer) podEnds() bool {
	p, ok := take(c.gen, &c.waiting)
	if !ok {
		return false
	}
	c.terminate(p)
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
	if c.kind == "volumes" { // rather one that has some
		for try := 0; try < 4 && len(p.Spec.Volumes) == 0 && len(c.running) > 0; try++ {
			c.running = append(c.running, p)
			p, _ = take(c.gen, &c.running)
		}
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
	name := pick(c.gen, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceCPU, corev1.ResourceMemory})
	was, ok := con.Resources.Requests[name]
	if _, limited := con.Resources.Limits[name]; !ok || limited || was.MilliValue() < 2 {
		return false
	}
	con.Resources.Requests = con.Resources.Requests.DeepCopy()
	now := was.DeepCopy()
	if c.p(0.4) {
		now.Add(was)
	} else if name == corev1.ResourceCPU {
		now = *resource.NewMilliQuantity(was.MilliValue()/2, resource.DecimalSI)
	} else {
		now = *resource.NewQuantity(was.Value()/2, resource.BinarySI)
	}
	con.Resources.Requests[name] = now
	held := con.Resources.Requests.DeepCopy()
	if c.p(0.3) {
		held[name] = was
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
