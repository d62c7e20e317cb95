/** Properties of a yarn-site.xml that bear on scheduling but are read by neither scheduler here, and why. Properties of YARN not in it do not bear on it. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^yarn\.nodemanager\.resource(-types?)?\./, 'what nodes have is said by the cluster'],
  [/^yarn\.nodemanager\.(resource-plugins|pluggable-device-framework|numa-awareness|windows-container\.(cpu|memory)-limit)\b/, 'what nodes have is said by the cluster'],
  [/^yarn\.resourcemanager\.nodemanagers\.heartbeat-interval-/, 'heartbeats are those of the cluster, such as --heartbeat 1'],
  [/^(yarn\.node-labels|yarn\.nodemanager\.node-(labels|attributes)|yarn\.node-attribute|yarn\.resourcemanager\.node-labels)\./, 'labels of nodes are those of the cluster'],
  [/^(net\.topology\.|yarn\.scheduler\.include-port-in-node-name$)/, 'names and racks of nodes are those of the cluster'],
  [/^yarn\.(nm\.liveness-monitor|resourcemanager\.(nm\.liveness-monitor|nodes\.|node-removal-untracked|decommissioning-nodes-watcher|nodemanager-graceful-decommission|enable-node-untracked))|^yarn\.scheduler\.skip\.node\.multiplier$/,
    'nodes go and come back as the outages of the experiment say'],
  [/^yarn\.(am\.liveness-monitor|am\.blacklisting|resourcemanager\.(am\.|am-scheduling|amliveliness-monitor|container\.liveness-monitor|rm\.container-allocation))/, 'jobs fail as the experiment says, and what is given to them starts at once'],
  [/^yarn\.resourcemanager\.(opportunistic|nm-container-queuing|distributed-scheduling)|^yarn\.nodemanager\.(opportunistic-containers|distributed-scheduling)/, 'no task is opportunistic: none waits at a node'],
  [/^yarn\.(resourcemanager\.placement-constraints|scheduler\.app-placement-allocator)\b/, 'jobs say where they may run in the workload'],
  [/^yarn\.resourcemanager\.resource-profiles\./, 'jobs say amounts and name no profiles'],
  [/^yarn\.resourcemanager\.(submission-preprocessor|application-tag-based-placement)\./, 'users, queues and labels of jobs are those of the workload'],
  [/^yarn\.resourcemanager\.reservation-system\./, 'there is no reservation system'],
  [/^yarn\.resourcemanager\.application-timeouts\./, 'jobs end when their work is done'],
  [/^yarn\.resourcemanager\.(work-preserving-recovery|recovery)\./, 'the resource manager does not go down'],
  [/^yarn\.resourcemanager\.auto-update\.containers$/, 'tasks keep the amounts that they start with'],
  [/^yarn\.(acl|admin\.acl)\b/, 'everybody may submit in a simulation'],
  [/^yarn\.(federation|router)\./, 'there is one cluster, without others beside it'],
  [/^yarn\.nodemanager\.([pv]mem-check-enabled|vmem-pmem-ratio|elastic-memory-control)/, 'tasks use no more than they ask'],
  [/^yarn\.scheduler\.configuration\./, 'the file is read once'],
  [/^(mapreduce|mapred)\./, 'jobs are those of the workload'],
]

/** Why a property that bears on scheduling is not read here; undefined: it does not bear on it, or it may be a property of the scheduler. */
export const saidElsewhere = (name: string): string | undefined => reasons.find(([names]) => names.test(name))?.[1]
