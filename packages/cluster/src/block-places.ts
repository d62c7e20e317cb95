import { SchedError, streamKey, type JobSpec, type StageSpec } from '@sched/core'
import type { ClusterModel } from './model.js'
import { placeReplicas } from './replicas.js'

/**
 * Places the blocks of a stage: `replicas[task * factor + i]` is a node that holds the block of a task. `undefined`: the blocks are nowhere in
 * particular.
 */
export type BlockPlaces = (spec: JobSpec, stage: StageSpec) => { readonly replicas: Int32Array; readonly factor: number } | undefined

/** Blocks where `data.hosts` says; otherwise where the cluster's rule places their replicas, which depends only on the seed and the block. */
export function placedBlocks(model: ClusterModel, seed: number): BlockPlaces {
  const key = streamKey(seed, 'replicas')
  const hosted = hostedBlocks(model)
  return (spec, stage) => {
    if (stage.data === undefined) return undefined
    if (stage.data.hosts !== undefined) return hosted(spec, stage)
    const { factor } = model.replicas
    const set = key ^ streamKey(0, stage.data.set ?? `${spec.id}/${stage.name}`)
    const first = stage.data.first ?? 0
    const replicas = new Int32Array(stage.tasks * factor)
    for (let task = 0; task < stage.tasks; task++) placeReplicas(model, set, first + task, replicas, task * factor)
    return { replicas, factor }
  }
}

/**
 * Blocks where `data.hosts` says, by node name. A task with fewer hosts than another repeats its first host. Throws `BAD_INPUT` for an unknown or
 * missing host.
 */
export function hostedBlocks(model: ClusterModel): BlockPlaces {
  const ids = new Map(model.nodeNames.map((name, id) => [name, id]))
  return ({ id }, { name, tasks, data }) => {
    if (data === undefined) return undefined
    const { hosts } = data
    const problem = (fact: string) => new SchedError(
      'BAD_INPUT',
      `stage ${name} of job ${id} ${fact}.`,
      { field: 'data.hosts' },
      'Name for each task the nodes that hold its block.',
    )
    if (hosts?.length !== tasks) throw problem(`has ${tasks} tasks and ${hosts?.length ?? 0} lists of hosts`)
    const factor = Math.max(1, ...hosts.map((names) => names.length))
    const replicas = new Int32Array(tasks * factor)
    for (const [task, names] of hosts.entries())
      for (let i = 0; i < factor; i++) {
        const host = names[i] ?? names[0]
        const node = host === undefined ? undefined : ids.get(host)
        if (node === undefined) throw problem(host === undefined ? `has no host for its task ${task}` : `has a block on "${host}", which is no node`)
        replicas[task * factor + i] = node
      }
    return { replicas, factor }
  }
}
