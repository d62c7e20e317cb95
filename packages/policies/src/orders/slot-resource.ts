import type { ClusterView, ResourceId } from '@sched/core'

/** By lane: the resource that counts as slots, the one called so or the first; `undefined` for a lane of no resources. */
export const slotsIn = ({ lanes, resources }: ClusterView): (ResourceId | undefined)[] =>
  lanes.map((lane) => lane.resources.find((r) => resources[r] === 'slots') ?? lane.resources[0])
