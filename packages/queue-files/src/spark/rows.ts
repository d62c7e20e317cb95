import { withoutUndefined } from '@sched/core'
import type { QueueTable } from '../queue-rows.js'
import { sharesTable, type Asked, type QueueNode, type ShownCluster } from '../share-tree.js'
import type { SparkFile, SparkPool } from './pools-file.js'

/** The pools as a table, with shares by weight above the minimum share. The minimum counts only if the cluster has one resource, since it is in cores. */
export const sparkTable = (file: SparkFile, asked: Asked): QueueTable => sharesTable((cluster) => sparkNode(file, cluster), asked)

function sparkNode({ pools }: SparkFile, cluster: ShownCluster): QueueNode {
  const { totals } = cluster
  const hasOne = totals === undefined || Object.keys(totals).length === 1
  const node = ({ name, mode, weight, minShare }: SparkPool): QueueNode => ({
    path: `root.${name}`,
    isParent: false,
    settings: withoutUndefined({ schedulingMode: mode?.text, weight: weight?.text, minShare: minShare?.text }),
    children: [],
    bounds: () => {
      if (totals === undefined && minShare !== undefined) cluster.leavesOutAmounts = true
      return { weight: weight?.value ?? 1, min: totals === undefined || !hasOne ? 0 : Math.max(0, minShare?.value ?? 0), max: Infinity }
    },
  })
  const children = [...pools].sort((a, b) => (a.name < b.name ? -1 : 1)).map(node)
  return { path: 'root', isParent: true, settings: { schedulingMode: 'FAIR' }, children, bounds: (_, total) => ({ weight: 1, min: total, max: total }) }
}
