package scenario

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

var taintKeys = []string{"dedicated", "maintenance", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/memory-pressure", "node.kubernetes.io/unreachable"}

func (g *gen) taintNodes(chance float64) {
	for _, n := range g.nodes {
		if !g.p(chance) {
			continue
		}
		seen := map[string]bool{}
		for i, k := 0, g.between(1, 3); i < k; i++ {
			t := corev1.Taint{
				Key:    pick(g, taintKeys),
				Effect: pick(g, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}),
			}
			if t.Key == "dedicated" || t.Key == "spot" {
				t.Value = pick(g, []string{"gpu", "batch", ""})
			}
			id := t.Key + string(t.Effect)
			if seen[id] {
				continue
			}
			seen[id] = true
			n.Spec.Taints = append(n.Spec.Taints, t)
		}
	}
}

// hardenNodes gives every node something that not all pods tolerate, so that pods wait.
func (g *gen) hardenNodes() {
	for _, n := range g.nodes {
		hard := n.Spec.Unschedulable
		for _, t := range n.Spec.Taints {
			hard = hard || t.Effect != corev1.TaintEffectPreferNoSchedule
		}
		switch {
		case hard || g.p(0.1):
		case g.p(0.45):
			n.Spec.Unschedulable = true
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
		default:
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Value: pick(g, []string{"red", "blue"}), Effect: corev1.TaintEffectNoSchedule})
		}
	}
	g.note("no node without a hard taint")
}

func (g *gen) cordonNodes(chance float64) {
	for _, n := range g.nodes {
		if !g.p(chance) {
			continue
		}
		n.Spec.Unschedulable = true
		if g.p(0.8) {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
		}
		g.note("unschedulable nodes")
	}
}

func (g *gen) toleration() corev1.Toleration {
	var t corev1.Toleration
	if g.p(0.08) {
		t.Operator = corev1.TolerationOpExists // tolerates everything, or every taint of one effect
	} else {
		t.Key = pick(g, taintKeys)
		if g.p(0.12) {
			t.Key = corev1.TaintNodeUnschedulable
		}
		switch g.n(3) {
		case 0:
			t.Operator = corev1.TolerationOpExists
			if g.p(0.1) {
				t.Key = "team"
			}
		case 1:
			t.Operator = corev1.TolerationOpEqual
			t.Value = pick(g, []string{"gpu", "batch", ""})
		default:
			t.Value = pick(g, []string{"gpu", "batch", ""})
		}
	}
	if g.p(0.6) {
		t.Effect = pick(g, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute})
	}
	if t.Effect == corev1.TaintEffectNoExecute && g.p(0.4) {
		t.TolerationSeconds = ptr(int64(pick(g, []int{-1, 0, 60, 300})))
	}
	return t
}

func (g *gen) withTolerations(p *corev1.Pod) {
	for i, n := 0, g.weighted(3, 4, 3, 2); i < n; i++ {
		p.Spec.Tolerations = append(p.Spec.Tolerations, g.toleration())
	}
	if g.p(0.5) {
		// As the DefaultTolerationSeconds admission plugin leaves it.
		for _, k := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: k, Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr(int64(300))})
		}
	}
}

func makeTaints(g *gen) {
	g.addNamespaces("default")
	g.fewNodes(3, 14)
	g.addNodes(g.nNodes, g.defaultStyle())
	g.taintNodes(pick(g, []float64{0.6, 0.95, 1}))
	g.cordonNodes(0.12)
	if g.p(0.6) {
		g.hardenNodes()
	}
	g.fill(g.fewer(2), smallReqs)
	for i := 0; i < g.nPods; i++ {
		p := g.addPending(g.pod("default", g.podName("app"), g.appLabels(pick(g, apps)), smallReqs))
		if g.p(0.8) {
			g.withTolerations(p)
		}
	}
}

// ---- ports

func (g *gen) withPorts(p *corev1.Pod, chance float64) {
	seen := map[string]bool{}
	p.Spec.HostNetwork = g.p(0.15)
	add := func(c *corev1.Container, n int) {
		for i := 0; i < n; i++ {
			port := int32(pick(g, []int{80, 443, 8080, 8443, 9100, 53}))
			cp := corev1.ContainerPort{ContainerPort: port}
			cp.Protocol = pick(g, []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP, ""})
			if p.Spec.HostNetwork {
				cp.HostPort = port
			} else if g.p(0.85) {
				cp.HostPort = int32(pick(g, []int{80, 443, 8080, 9100}))
			}
			if cp.HostPort != 0 {
				cp.HostIP = pick(g, []string{"", "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "192.168.1.1", "::"})
			}
			proto := cp.Protocol
			if proto == "" {
				proto = corev1.ProtocolTCP
			}
			id := fmt.Sprintf("%s/%d", proto, cp.HostPort)
			if p.Spec.HostNetwork {
				id = fmt.Sprintf("%s/%d", proto, port)
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			c.Ports = append(c.Ports, cp)
		}
	}
	for i := range p.Spec.Containers {
		if g.p(chance) {
			add(&p.Spec.Containers[i], g.between(1, 3))
		}
	}
	if g.p(0.2) {
		c := g.container("init-port", smallReqs)
		if g.p(0.6) {
			c.RestartPolicy = ptr(corev1.ContainerRestartPolicyAlways)
		}
		add(&c, g.between(1, 2))
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
}

func makePorts(g *gen) {
	g.addNamespaces("default")
	g.fewNodes(2, 8)
	g.addNodes(g.nNodes, g.defaultStyle())
	for i := 0; i < g.nExisting; i++ {
		p := g.pod("default", g.podName("app"), nil, smallReqs)
		g.withPorts(p, 0.6)
		g.place(p)
	}
	g.maybeTerminal(0.1)
	for i := 0; i < g.nPods; i++ {
		p := g.addPending(g.pod("default", g.podName("edge"), nil, smallReqs))
		g.withPorts(p, 0.85)
	}
}
