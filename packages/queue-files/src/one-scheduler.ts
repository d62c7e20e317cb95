import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError, type Place } from '@sched/core'
import { isKai, isQueue as isKaiQueue } from './kai/kai-file.js'
import { isKueue } from './kueue/kueue-file.js'
import type { SourceText } from './source-text.js'
import { isQueue as isVolcanoQueue, isVolcano } from './volcano/volcano-file.js'
import { holdsPartitions, isYunikorn } from './yunikorn/yunikorn-file.js'

/** Schedulers of Kubernetes with queues: by which words a text may have some, and which objects these are. */
const schedulers = [
  { name: 'Kueue', mayHave: isKueue, has: ({ kind }: KubernetesObject) => kind === 'ClusterQueue' },
  { name: 'KAI', mayHave: isKai, has: isKaiQueue },
  { name: 'YuniKorn', mayHave: isYunikorn, has: holdsPartitions },
  { name: 'Volcano', mayHave: isVolcano, has: isVolcanoQueue },
] as const

/**
 * Throws `BAD_INPUT`, with the line of the second, if a text has queues of several schedulers of Kubernetes: only one decides about a job, and nothing
 * says which. Other objects of theirs, such as pod groups, may stand beside the queues of another.
 */
export function refuseSeveral({ text, file }: SourceText): void {
  const possible = schedulers.filter(({ mayHave }) => mayHave(text))
  if (possible.length < 2) return
  const objects = [...kubernetesObjects(text, file)]
  const found = possible.flatMap(({ name, has }) => {
    const first = objects.find(has)
    return first === undefined ? [] : [{ name, place: first.place() }]
  })
  if (found.length < 2) return
  const [, second] = found.sort((a, b) => lineOf(a) - lineOf(b)) as [Found, Found]
  const names = `${found.slice(0, -1).map(({ name }) => name).join(', ')} and ${found.at(-1)?.name ?? ''}`
  throw new SchedError('BAD_INPUT', `has queues of ${names}.`, second.place, 'Give those of one scheduler. Several files are compared: --queues kueue.yaml,volcano.yaml.')
}

interface Found {
  readonly name: string
  readonly place: Place
}

const lineOf = ({ place }: Found): number => place.line ?? 0
