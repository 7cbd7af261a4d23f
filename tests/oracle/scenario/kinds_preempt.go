package scenario

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func (g *gen) setupPriorities() {
	g.systemClasses()
	g.priorityClass("bottom", math.MinInt32, false, nil) // the sum of priorities is blind for it
	g.priorityClass("negative", -100, false, nil)
	g.priorityClass("low", 100, false, nil)
	g.priorityClass("mid", 1000, false, nil)
	g.priorityClass("high", 10000, false, ptr(corev1.PreemptLowerPriority))
	g.priorityClass("top", 1000000000, false, nil)
	g.priorityClass("patient", 5000, false, ptr(corev1.PreemptNever))
	if g.p(0.4) {
		g.priorityClass("usual", 50, true, pick(g, []*corev1.PreemptionPolicy{nil, ptr(corev1.PreemptNever)}))
		g.note("globalDefault")
	}
}

func (g *gen) budget(ns, name string, sel *metav1.LabelSelector, allowed int32) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: sel},
		Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: allowed,
			CurrentHealthy: allowed + 2, DesiredHealthy: 2, ExpectedPods: allowed + 2},
	}
	if g.p(0.5) {
		b.Spec.MinAvailable = ptr(intstr.FromInt32(2))
	} else {
		b.Spec.MaxUnavailable = ptr(pick(g, []intstr.IntOrString{intstr.FromInt32(1), intstr.FromString("25%")}))
	}
	g.first = append(g.first, b)
	return b
}

func (g *gen) budgets() []*policyv1.PodDisruptionBudget {
	var out []*policyv1.PodDisruptionBudget
	for i, n := 0, g.weighted(2, 3, 3, 2); i < n; i++ {
		sel := g.selector(pick(g, apps))
		if g.p(0.05) {
			sel = nil // selects nothing
		}
		b := g.budget(g.ns(), fmt.Sprintf("budget-%d", i), sel, int32(pick(g, []int{0, 0, 1, 2, 5})))
		out = append(out, b)
		if g.p(0.3) { // another one over the same pods
			out = append(out, g.budget(b.Namespace, fmt.Sprintf("budget-%d-again", i), b.Spec.Selector.DeepCopy(), int32(pick(g, []int{0, 1}))))
			g.note("overlapping budgets")
		}
	}
	if len(out) > 0 {
		g.note("budgets")
	}
	return out
}

var victimReqs = reqStyle{
	cpu: []string{"250m", "500m", "1", "1500m", "2"},
	mem: []string{"128Mi", "256Mi", "512Mi", "1Gi"},
}

func makePreemption(g *gen) {
	g.addNamespaces("default", "team-a")
	g.setupPriorities()
	s := g.defaultStyle()
	s.cpu = []string{"2", "4"}
	s.mem = []string{"4Gi", "8Gi"}
	if g.o.Nodes <= 0 {
		g.nNodes = g.between(4, 12)
	}
	ranked := g.p(0.3)
	if ranked {
		g.fewNodes(2, 5)
		s.cpu, s.mem = []string{"4"}, []string{"8Gi"}
	}
	g.addNodes(g.nNodes, s)
	var budgets []*policyv1.PodDisruptionBudget
	if ranked {
		g.rankedNodes()
	} else {
		if g.p(0.3) {
			g.taintNodes(0.2)
		}
		if g.p(0.15) {
			g.cordonNodes(0.15)
		}
		budgets = g.budgets()
		g.fillNodes()
		g.victimTimes()
		g.terminatingVictims()
		g.disruptedPods(budgets)
	}
	g.preemptors(ranked)
	if g.p(0.25) {
		a := preemptionArgs{argsMeta: meta("DefaultPreemption")}
		a.Percentage = ptr(int32(pick(g, []int{0, 10, 50, 100})))
		a.Absolute = ptr(int32(pick(g, []int{1, 2, 5, 100})))
		g.setArgs("DefaultPreemption", a)
		g.note("candidate limits")
	}
}

// fillNodes fills the nodes almost up. The default size of the kind follows from that.
func (g *gen) fillNodes() {
	classes := []string{"low", "low", "low", "low", "mid", "mid", "high", "negative", "patient", "", "bottom"}
	for _, n := range g.nodes {
		for try := 0; try < 14; try++ {
			if g.o.Existing > 0 && len(g.existing) >= g.o.Existing {
				break
			}
			if len(g.existing) >= 60 && g.o.Existing <= 0 {
				break
			}
			p := g.victim(pick(g, classes))
			if g.fits(p, n) {
				g.bind(p, n.Name)
			}
		}
	}
	if len(g.existing) == 0 {
		g.fill(3, victimReqs)
	}
}

// victim makes a pod that others may want to evict.
func (g *gen) victim(class string) *corev1.Pod {
	p := g.pod(g.ns(), g.podName("app"), g.appLabels(pick(g, apps)), victimReqs)
	p.Spec.PriorityClassName = class
	if g.p(0.04) {
		p.Namespace = "kube-system"
		g.addNamespace("kube-system", map[string]string{"kubernetes.io/metadata.name": "kube-system"})
		p.Spec.PriorityClassName = pick(g, []string{"system-cluster-critical", "system-node-critical"})
	}
	if g.p(0.05) {
		p.Labels = nil // no budget counts it
		return p
	}
	if g.p(0.12) {
		g.withPodAffinity(p, 0.7)
	}
	if g.p(0.15) {
		g.withPorts(p, 0.7)
		p.Spec.InitContainers = nil
	}
	return p
}

// rankedNodes makes nodes whose pods all have to go for a preemptor that wants a whole node, and that are equal
// up to one of the rules that choose among them.
func (g *gen) rankedNodes() {
	rule := g.n(6)
	if rule == 0 {
		g.budget("default", "guard", &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}}, int32(g.n(2)))
	}
	for _, n := range g.nodes {
		n.Spec.Taints, n.Spec.Unschedulable = nil, false
		n.Status.Allocatable[corev1.ResourceCPU] = q("4")
		n.Status.Allocatable[corev1.ResourceMemory] = q("8Gi")
		classes := []string{"mid", "low", "low", "bottom"}
		start := 100
		guarded := 0
		switch rule {
		case 0:
			guarded = g.n(3)
		case 1:
			classes[0] = pick(g, []string{"mid", "low", "mid"})
		case 2:
			classes[1] = pick(g, []string{"mid", "low", "negative"})
		case 3: // a pod of the lowest priority adds nothing to the sum
			for i := g.n(3); i > 0; i-- {
				classes = append(classes, "bottom")
			}
		case 4:
			start = g.between(1, 4) * 100
		}
		g.shuffle(len(classes), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
		for i, class := range classes {
			p := g.pod("default", g.podName("app"), map[string]string{"app": "web"}, reqStyle{cpu: []string{"500m"}, mem: []string{"128Mi"}})
			if i < guarded {
				p.Labels["app"] = "guarded"
			}
			p.Spec.PriorityClassName = class
			g.bind(p, n.Name)
			p.Status.StartTime = ptr(g.at(start))
			if class != "mid" {
				p.Status.StartTime = ptr(g.at(g.between(1, 500))) // counts for the priority on top only
			}
		}
	}
	g.note([]string{"violations decide", "the highest priority decides", "the sum of priorities decides", "the number of victims decides",
		"start times decide", "the name decides"}[rule])
}

// victimTimes has pods that started at the same time.
func (g *gen) victimTimes() {
	for i, p := range g.existing {
		if i > 0 && g.p(0.2) {
			p.Status.StartTime = g.existing[i-1].Status.StartTime.DeepCopy()
		}
	}
}

func (g *gen) terminatingVictims() {
	for _, p := range g.existing {
		if g.p(0.05) {
			g.evicted(p, g.p(0.5))
			g.note("terminating pods")
		}
	}
}

// evicted is a pod on its way out, by preemption or for another reason.
func (g *gen) evicted(p *corev1.Pod, preempted bool) {
	g.terminate(p)
	c := corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler, LastTransitionTime: g.at(560)}
	switch {
	case preempted:
	case g.p(0.3):
		c.Reason = "EvictionByEvictionAPI"
	default:
		return
	}
	p.Status.Conditions = append(p.Status.Conditions, c)
}

func (g *gen) disruptedPods(budgets []*policyv1.PodDisruptionBudget) {
	for _, b := range budgets {
		if !g.p(0.35) {
			continue
		}
		b.Status.DisruptedPods = map[string]metav1.Time{}
		for _, p := range g.existing {
			if p.Namespace == b.Namespace && g.p(0.3) {
				b.Status.DisruptedPods[p.Name] = g.at(595)
			}
		}
		g.note("disruptedPods")
	}
}

// preemptors are the pending pods; when the nodes are ranked the first ones want a whole node.
func (g *gen) preemptors(ranked bool) {
	wants := reqStyle{cpu: []string{"500m", "500m", "1", "1", "1", "1500m", "2", "2", "3", "4", "16"}, mem: []string{"128Mi", "1Gi", "2Gi", "4Gi"}}
	classes := []string{"high", "high", "mid", "top", "patient", "low", "system-node-critical", "", "high"}
	for i := 0; i < g.nPods; i++ {
		p := g.pod(g.ns(), g.podName("urgent"), g.appLabels(pick(g, apps)), wants)
		p.Spec.PriorityClassName = pick(g, classes)
		if ranked && i < 3 {
			p.Spec.PriorityClassName = "high"
			p.Spec.Containers = p.Spec.Containers[:1]
			p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: q(pick(g, []string{"4", "4", "3"}))}}
			g.addPending(p)
			continue
		}
		if p.Spec.PriorityClassName == "system-node-critical" {
			g.addNamespace("kube-system", map[string]string{"kubernetes.io/metadata.name": "kube-system"})
			p.Namespace = "kube-system"
		}
		g.addPending(p)
		g.preemptorRules(p)
		if g.p(0.12) {
			g.nominate(p, pick(g, append(g.nodeNames(), "gone-node")))
		}
	}
	if !ranked && len(g.pending) > 0 && g.p(0.3) {
		g.waitsForVictims(pick(g, g.pending))
	}
}

// preemptorRules gives a pod what has to be asked again without the victims.
func (g *gen) preemptorRules(p *corev1.Pod) {
	if g.p(0.12) {
		g.withNodeAffinity(p)
	}
	if g.p(0.2) {
		g.withPodAffinity(p, 0.6)
	}
	if g.p(0.2) {
		g.withTolerations(p)
	}
	if g.p(0.2) {
		g.withPorts(p, 0.9)
		p.Spec.InitContainers = nil
	}
	if g.p(0.2) {
		g.withSpread(p)
	}
}

// nominate gives a pending pod the status of one that has preempted others.
func (g *gen) nominate(p *corev1.Pod, node string) {
	p.Status.NominatedNodeName = node
	p.Status.Phase = corev1.PodPending
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: corev1.PodReasonUnschedulable, LastTransitionTime: g.at(580)})
	g.note("nominated pods")
}

// waitsForVictims has a pod that waits on a node for a victim that still terminates: it may not preempt others meanwhile.
func (g *gen) waitsForVictims(p *corev1.Pod) {
	var low []*corev1.Pod
	for _, e := range g.existing {
		if e.DeletionTimestamp == nil && e.Spec.Priority != nil && *e.Spec.Priority <= 100 {
			low = append(low, e)
		}
	}
	if len(low) == 0 || p.Status.NominatedNodeName != "" {
		return
	}
	v := pick(g, low)
	g.evicted(v, g.p(0.8))
	g.nominate(p, v.Spec.NodeName)
	p.Spec.PriorityClassName = pick(g, []string{"high", "top"})
	p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: q("2")}}
	p.Spec.Affinity, p.Spec.NodeSelector, p.Spec.TopologySpreadConstraints = nil, nil, nil
	if p.Namespace == "kube-system" {
		p.Namespace = "default"
	}
	g.note("pods that wait for victims")
}
