import { expanders } from '@sched/sim'
import * as z from '@sched/bundled/zod'

const seconds = z.number().min(0).max(366 * 86_400).optional()
const atLeastOne = z.int().min(1).optional()

/** Settings of the autoscaler, as `AutoscalerOptions` has them. */
export const autoscalerSchema = z
  .strictObject({
    scanInterval: z.number().min(1).max(86_400).optional().describe('seconds between two looks at the cluster; default 10'),
    expander: z.union([z.enum(expanders), z.array(z.enum(expanders)).min(1)]).optional().describe('which group of nodes gets new ones: that of which the least would be unused (least-waste, the default), where the most tasks would start (most-pods), that needs the fewest nodes (least-nodes), of the largest priority, whose nodes cost the least for what would start there (price), or any (random); of a list each chooses among those that are equal to the one before'),
    newPodScaleUpDelay: seconds.describe('seconds for longer than which a task has waited when nodes are asked for; default 0'),
    maxNodesPerScaleUp: atLeastOne.describe('most nodes that are asked for at once; default 1000'),
    maxNodesTotal: atLeastOne.describe('most nodes of the whole cluster; default: as many as the groups have'),
    resourcesTotal: z.record(z.string(), z.number().min(0)).optional().describe('most of resources, by name, that all nodes of the cluster may have together: { cpu: 320000 }; default: as much as the groups have'),
    balanceSimilarNodeGroups: z.boolean().optional().describe('whether new nodes are divided among groups whose nodes are alike, the smallest first; default: false'),
    expendablePodsPriorityCutoff: z.number().optional().describe('jobs with a priority below this count neither where they wait, for new nodes, nor where they run, for removed ones; default -10'),
    scaleDownEnabled: z.boolean().optional().describe('whether nodes are removed; default: true'),
    scaleDownUtilizationThreshold: z.number().min(0).max(1).optional().describe('a node of which a smaller fraction is in use may be removed, if all that runs there has room elsewhere; 0: none is; default 0.5'),
    scaleDownGpuUtilizationThreshold: z.number().min(0).max(1).optional().describe('the same of nodes with devices, of which these alone count; default 0.5'),
    scaleDownUnneededTime: seconds.describe('seconds for which a node has been unneeded before it is removed; default 600'),
    scaleDownDelayAfterAdd: seconds.describe('seconds after nodes were asked for in which none is removed; default 600'),
    scaleDownDelayAfterDelete: seconds.describe('seconds after nodes were removed in which no more are; default 0'),
    unremovableNodeRecheckTimeout: seconds.describe('seconds after which a node is looked at again of which the tasks had no room elsewhere; default 300'),
    maxScaleDownParallelism: atLeastOne.describe('most nodes that are removed at once; default 10'),
    maxDrainParallelism: z.int().min(0).optional().describe('most of these on which something runs, which is evicted; 0: only idle nodes are removed; default 1'),
  })
  .describe('how the autoscaler works, if groups of nodes have `autoscale`; default: as Kubernetes\' Cluster Autoscaler by default')
