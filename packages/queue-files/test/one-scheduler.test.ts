import { describe, expect, it } from 'vitest'
import { readQueues } from '../src/index.js'
import { messageOf } from './message-of.js'

const kueue = 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: ml }\nspec: { resourceGroups: [{ coveredResources: [cpu], flavors: [{ name: f, resources: [{ name: cpu, nominalQuota: 4 }] }] }] }\n'
const flavor = 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: { name: f }\n'
const volcano = 'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: { name: ml }\nspec: { weight: 1 }\n'
const kai = 'apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: ml }\nspec: { resources: { gpu: { quota: 1 } } }\n'
const yunikorn = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: yunikorn-configs }\ndata:\n  queues.yaml: |\n    partitions: [{ name: default, queues: [{ name: root }] }]\n'
const group = 'apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: { name: g }\nspec: { minMember: 2, queue: ml }\n'
const read = (...objects: string[]) => readQueues({ file: 'cluster.yaml', text: objects.join('---\n') })

describe('a file of a cluster', () => {
  it('has the queues of one scheduler: of several nobody says which decides', () => {
    const wayOut = 'Give those of one scheduler. Several files are compared: --queues kueue.yaml,volcano.yaml.'
    expect(messageOf(() => read(kueue, flavor, volcano))).toBe(`"cluster.yaml" line 10: has queues of Kueue and Volcano. ${wayOut}`)
    expect(messageOf(() => read(volcano, kai))).toBe(`"cluster.yaml" line 6: has queues of Volcano and KAI. ${wayOut}`)
    expect(messageOf(() => read(yunikorn, kai, kueue))).toBe(`"cluster.yaml" line 8: has queues of YuniKorn, KAI and Kueue. ${wayOut}`)
  })

  it('may have other objects of another, and documents that hold comments alone', () => {
    for (const [kind, ...objects] of [['kueue', kueue, flavor, group], ['kai', kai, group, flavor], ['volcano', volcano, flavor], ['yunikorn', yunikorn, group]]) expect(read(...objects).kind).toBe(kind)
    const { kind, ...others } = read('# made by Helm\n', '', kueue, flavor, '# the end\n')
    expect([kind, 'others' in others && others.others]).toEqual(['kueue', []])
  })
})
