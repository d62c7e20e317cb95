import type { ShownCluster } from '../share-tree.js'
import { clusterName, type NamedAmounts } from './amounts.js'

/** The amount that named amounts give for a resource of the cluster, of which it has `total`; `missing` if they do not name it. */
export function amountOf(amounts: NamedAmounts | undefined, resource: string, total: number, missing: number, cluster: ShownCluster): number {
  if (amounts === undefined) return missing
  const { totals } = cluster
  if (amounts.all !== undefined) return (amounts.all / 100) * total
  if (totals === undefined) {
    const part = amounts.byName['memory-mb'] ?? Object.values(amounts.byName)[0] // of an unknown cluster one resource is shown: memory, which the policy fair compares
    if (typeof part === 'string') return (Number.parseFloat(part) / 100) * total
    cluster.leavesOutAmounts = true
    return missing
  }
  const name = Object.keys(amounts.byName).find((each) => clusterName(each, Object.keys(totals)) === resource)
  if (name === undefined) {
    const isListed = amounts.isOldStyle === true && Object.keys(amounts.byName).some((each) => clusterName(each, Object.keys(totals)) !== undefined)
    return missing === Infinity && isListed ? 0 : missing // a maximum in the old style is 0 for every resource that it does not name
  }
  const amount = amounts.byName[name] as number | string
  return typeof amount === 'number' ? amount : (Number.parseFloat(amount) / 100) * total
}
