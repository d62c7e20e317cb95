// @module-tag long
import { easy, fair, fifo, greedy, kubeScheduler, kueue, las } from '@sched/policies'
import { checkPolicyLaws, type MakePolicy } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { placementSets, topologyAware, topologyTree, worstFit } from '../src/index.js'

const anywhere = topologyTree()
const oneRack = topologyTree({ within: 1, wait: 5 })
const policies: Record<string, MakePolicy> = {
  greedy: () => greedy(fair(), anywhere),
  'greedy, one rack for a while': () => greedy(fifo(), oneRack),
  'greedy, one rack': () => greedy(fifo(), topologyTree({ within: 1 })),
  easy: () => easy(fifo(), { placement: anywhere }),
  'easy, one rack for a while': () => easy(fifo(), { placement: oneRack }),
  'kube-scheduler, which preempts': () => kubeScheduler({}, oneRack),
  'las, which preempts': () => las({ queues: [2, 6] }, oneRack),
  'greedy, placement sets': () => greedy(fair(), placementSets({ node_group_key: 'rack' })),
  'easy, placement sets': () => easy(fifo(), { placement: placementSets({ node_group_key: 'rack', placement: worstFit() }) }),
  'las, which preempts, placement sets that are not spanned': () => las({ queues: [2, 6] }, placementSets({ node_group_key: 'rack', do_not_span_psets: true })),
  'kueue, topology-aware': () => kueue({}, topologyAware()),
}
const skip = { reservations: 'jobs outlive their estimates, and plans know of no racks' }
const skipFor = (name: string) => (['greedy, one rack', 'las, which preempts, placement sets that are not spanned'].includes(name) ? { ...skip, completion: 'a gang is refused that no rack holds' } : skip)

describe('the laws of policies, with placements that know of racks', () => {
  it.each(Object.entries(policies))('hold where stages are gangs: %s', (name, make) => {
    expect(checkPolicyLaws(make, { runs: 60, seed: 21, worlds: { gangs: true, outages: true, failures: true }, skip: skipFor(name) }).launches).toBeGreaterThan(150)
  })

  it.each(Object.entries(policies))('hold where jobs have masters, and gangs: %s', (name, make) => {
    expect(checkPolicyLaws(make, { runs: 60, seed: 22, worlds: { masters: true, gangs: true, outages: true, failures: true }, skip: skipFor(name) }).launches).toBeGreaterThan(150)
  })
})
