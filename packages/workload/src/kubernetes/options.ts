import * as z from '@sched/bundled/zod'

/** How pods and Jobs of Kubernetes become jobs. */
export const kubernetesOptions = z.strictObject({
  queue: z
    .enum(['label', 'namespace'])
    .default('label')
    .describe('What names the queue of a job: label: the label or annotation for Kueue, Volcano, KAI or YuniKorn, otherwise the namespace; namespace: always the namespace.'),
  gang: z.enum(['groups', 'stages', 'jobs', 'none']).default('groups')
    .describe('Which pods start together: groups: those of pod groups and of jobs in queues of Kueue; stages: of these only pods that ask for the same, for policies that start stages one by one; jobs: those of every job; none: no pods.'),
  lost: z.enum(['gang', 'pod']).default('gang')
    .describe('What starts anew when a pod of a gang is lost with its node or fails: gang: all pods of the gang; pod: that pod alone, as controllers replace pods.'),
  unfinished: z.number().positive().max(1e12).optional()
    .describe('Seconds that pods run from their start if they have not ended or still wait. Default: such pods are left out.'),
  gated: z.number().min(0).max(1e12).optional()
    .describe('Seconds from the creation of waiting pods until their scheduling gates are lifted. Default: pods with gates are left out.'),
  gpuMemory: z.number().positive().max(1e9).optional()
    .describe('Memory of one GPU, MiB, for pods that ask for a part of it (`gpu-memory` of KAI). Default: each such pod gets a whole GPU.'),
  resources: z.array(z.string().min(1)).default([])
    .describe('What counts of pods and of nodes besides CPU, memory and GPUs, by its name in Kubernetes: devices such as google.com/tpu, ephemeral-storage, hugepages-2Mi, or pods for the number of pods on a node.'),
  nodeSelector: z.enum(['require', 'ignore']).default('require').describe('What to do with labels of nodes that pods ask for (nodeSelector, required affinity): require or ignore them.'),
})
export type KubernetesOptions = z.output<typeof kubernetesOptions>
