"""Changes scenarios a little, in ways that matter to scheduling: labels, quantities, numbers, terms, whole parts, events."""

import copy

# Lists and objects that may be taken from another object of the scenario, by the name of their field.
TRANSPLANTS = {
    "affinity", "nodeAffinity", "podAffinity", "podAntiAffinity", "tolerations", "topologySpreadConstraints", "nodeSelector", "labelSelector",
    "namespaceSelector", "namespaces", "matchLabels", "matchExpressions", "volumes", "resources", "taints", "labels", "allocatable", "capacity", "images",
    "accessModes", "selector", "nodeTopology", "allowedTopologies", "drivers", "declaredFeatures", "overhead", "containers", "initContainers",
    "preferredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution", "claimRef", "status",
}
# Fields whose values may be taken from the same field elsewhere.
VALUES = {
    "topologyKey", "key", "operator", "effect", "value", "whenUnsatisfiable", "nodeAffinityPolicy", "nodeTaintsPolicy", "storageClassName", "volumeName",
    "volumeMode", "volumeBindingMode", "provisioner", "claimName", "phase", "priorityClassName", "preemptionPolicy", "nodeName", "nominatedNodeName",
    "schedulerName", "image", "driver", "volumeHandle", "pdName", "hostIP", "protocol", "attacher", "cpu", "memory", "storage", "ephemeral-storage", "pods",
    "startTime", "creationTimestamp", "deletionTimestamp",
}
NUMBERS = {
    "weight", "maxSkew", "minDomains", "priority", "hostPort", "count", "disruptionsAllowed", "sizeBytes", "minCandidateNodesAbsolute",
    "hardPodAffinityWeight", "atMs", "tolerationSeconds",
}
NAMES = {"name", "namespace", "uid", "apiVersion", "kind", "resourceVersion"}


class Mutator:
    """Mutates the documents of one scenario in place, by a random generator of its own."""

    def __init__(self, random, files):
        self.random = random
        self.files = files  # by name ("cluster.yaml", "pods.yaml", "events.yaml") the list of documents
        self.found = {}     # by the name of a field, its values everywhere
        for documents in files.values():
            for document in documents:
                self._collect(document)

    def mutate(self, times):
        """Makes up to `times` changes; returns what they were, in words."""
        done = []
        for _ in range(times):
            change = self.random.choice([self._change_a_place] * 8 + [self._drop_an_object, self._change_an_event])
            what = change()
            if what:
                done.append(what)
        return done

    def _collect(self, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                if inner is not None:
                    self.found.setdefault(key, []).append(inner)
                self._collect(inner)
        elif isinstance(value, list):
            for inner in value:
                self._collect(inner)

    def _change_a_place(self):
        file = self.random.choice([name for name, documents in self.files.items() if documents])
        document = self.random.choice(self.files[file])
        body = document.get("object", document) if file == "events.yaml" else document
        if not isinstance(body, dict):
            return None
        places = []
        self._places(body, "", places)
        if not places:
            return None
        parent, key, path = self.random.choice(places)
        what = self._change(parent, key)
        return what and f"{file}: {body.get('kind')} {body.get('metadata', {}).get('name')}: {path}: {what}"

    def _places(self, value, path, places):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in NAMES and path.count(".") < 2:
                    continue
                inner_path = f"{path}.{key}" if path else key
                places.append((value, key, inner_path))
                self._places(inner, inner_path, places)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                places.append((value, index, f"{path}[{index}]"))
                self._places(inner, f"{path}[{index}]", places)

    def _change(self, parent, key):
        value = parent[key]
        if isinstance(parent, list):
            return self._change_item(parent, key)
        if key in NUMBERS and isinstance(value, int):
            parent[key] = max(0, value + self.random.choice([-2, -1, 1, 2])) if key != "priority" else value + self.random.choice([-100, -1, 1, 100])
            return f"{value} -> {parent[key]}"
        if (key in TRANSPLANTS or key in VALUES) and self.random.random() < 0.75:
            others = [other for other in self.found.get(key, []) if other != value and type(other) is type(value)]
            if others:
                parent[key] = copy.deepcopy(self.random.choice(others))
                return f"taken from elsewhere: {str(parent[key])[:120]}"
        if isinstance(value, (dict, list)) and key in TRANSPLANTS or key in VALUES:
            del parent[key]
            return "dropped"
        if isinstance(value, str) and "." in key or "/" in str(key):  # a label or a resource
            others = [other for other in self.found.get(key, []) if other != value]
            parent[key] = self.random.choice(others) if others else value
            return f"{value} -> {parent[key]}"
        if isinstance(value, bool):
            parent[key] = not value
            return f"-> {parent[key]}"
        return None

    def _change_item(self, items, index):
        roll = self.random.random()
        if roll < 0.4 and len(items) > 1:
            del items[index]
            return "item dropped"
        if roll < 0.7:
            other = self.random.randrange(len(items))
            items[index], items[other] = items[other], items[index]
            return "items swapped"
        if isinstance(items[index], dict) and len(items) < 8 and "name" not in items[index]:
            items.append(copy.deepcopy(items[index]))
            return "item doubled"
        return None

    def _drop_an_object(self):
        documents = self.files["cluster.yaml"]
        droppable = [d for d in documents if d.get("kind") not in ("Namespace", None)]
        if not droppable or self.files.get("events.yaml"):  # an event may be about it
            return None
        gone = self.random.choice(droppable)
        documents.remove(gone)
        return f"cluster.yaml: {gone['kind']} {gone['metadata']['name']} dropped"

    def _change_an_event(self):
        events = self.files.get("events.yaml")
        if not events:
            return None
        event = self.random.choice(events)
        before = event["atMs"]
        event["atMs"] = max(0, self.random.choice([other["atMs"] for other in events]) + self.random.randrange(-1500, 1500))
        return f"events.yaml: {before} ms -> {event['atMs']} ms"
