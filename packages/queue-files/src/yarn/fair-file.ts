import { knownWords, SchedError, suggest } from '@sched/core'
import { fairAmounts, type At, type NamedAmounts } from './amounts.js'
import type { FairFile, FairPolicyName, FairQueue } from './fair-model.js'
import { didYouMean, Findings } from '../finding.js'
import { readRules } from './placement-rules.js'
import type { SourceText } from '../source-text.js'
import { decimalOf, fractionOf } from './site.js'
import { readXml, type XmlElement } from '../xml.js'
import type { Given } from '../setting.js'

type Reader<T> = (element: XmlElement, at: At) => T

/** The text of an element. Throws if it is empty. */
const text: Reader<string> = ({ text: own }, at) => {
  if (own === '') throw new SchedError('BAD_INPUT', 'is empty.', at, 'Write a value, or remove the element.')
  return own
}
const number =
  (least = 0, whole = false): Reader<number> =>
  (element, at) => {
    const value = whole ? decimalOf(text(element, at).trim()) : fractionOf(text(element, at))
    if (!Number.isFinite(value) || value < least || (whole && !Number.isSafeInteger(value)))
      throw new SchedError('BAD_INPUT', `found "${element.text}", expected a ${whole ? 'whole ' : ''}number${least === -Infinity ? '' : ` of at least ${least}`}.`, at, 'Correct it, or remove the element for the default.')
    return value
  }
const count = number(0, true)
const boolean: Reader<boolean> = (element, at) => text(element, at).toLowerCase() === 'true' // as in Hadoop, any other text is false
const amounts: Reader<NamedAmounts> = (element, at) => fairAmounts(text(element, at), at)
const threshold: Reader<number> = (element, at) => Math.min(Math.max(0, number(-Infinity)(element, at)), 1)
const masterShare: Reader<number> = (element, at) => (Number(element.text) === -1 ? -1 : threshold(element, at))

/** Policies by their names and by the names of Hadoop's classes for them. */
const policies = knownWords<FairPolicyName>({ fair: 'fair', fairsharepolicy: 'fair', drf: 'drf', dominantresourcefairnesspolicy: 'drf', fifo: 'fifo', fifopolicy: 'fifo' })
const policy: Reader<FairPolicyName> = (element, at) => {
  const name = text(element, at)
  const known = policies[(name.split('.').at(-1) ?? '').toLowerCase()]
  if (known === undefined) throw new SchedError('BAD_INPUT', `there is no scheduling policy "${name}".`, at, suggest(name, ['fair', 'drf', 'fifo']))
  return known
}
const defaultPolicy: Reader<'fair' | 'drf'> = (element, at) => {
  const chosen = policy(element, at)
  if (chosen === 'fifo') throw new SchedError('BAD_INPUT', 'the policy of all queues cannot be fifo.', at, 'Use fair or drf, and fifo on queues that hold jobs.')
  return chosen
}

/** How each setting of a queue is read. */
const readers = {
  weight: number(),
  schedulingPolicy: policy,
  schedulingMode: policy,
  minResources: amounts,
  maxResources: amounts,
  maxChildResources: amounts,
  maxContainerAllocation: amounts,
  maxRunningApps: count,
  maxAMShare: masterShare,
  minSharePreemptionTimeout: count,
  fairSharePreemptionTimeout: count,
  fairSharePreemptionThreshold: threshold,
  allowPreemptionFrom: boolean,
} as const

const acl = 'everybody may submit in a simulation'
const reservation = 'there is no reservation system'
/** Elements of a queue that have no effect here, and why. */
const ignoredInQueue = knownWords<string>({
  aclSubmitApps: acl, aclAdministerApps: acl, aclAdministerReservations: acl, aclListReservations: acl, aclSubmitReservations: acl, reservation,
})
const ignoredAtTop = knownWords<string>({ 'reservation-agent': reservation, 'reservation-policy': reservation, 'reservation-planner': reservation })

type Give = <T>(read: Reader<T>) => Given<T>
/** How each element beside the queues is read. Preemption settings of the root queue itself are preferred to these of all queues. */
const topReaders: Readonly<Record<string, (file: FairFile, give: Give, element: XmlElement) => void>> = {
  user: (file, _, element) => readUser(element, file),
  userMaxAppsDefault: (file, give) => void (file.userMaxAppsDefault = give(count)),
  queueMaxAppsDefault: (file, give) => void (file.queueMaxAppsDefault = give(count)),
  queueMaxAMShareDefault: (file, give) => void (file.queueMaxAMShareDefault = give(masterShare)),
  queueMaxResourcesDefault: (file, give) => void (file.queueMaxResourcesDefault = give(amounts)),
  defaultQueueSchedulingPolicy: (file, give) => void (file.defaultPolicy = give(defaultPolicy)),
  defaultQueueSchedulingMode: (file, give) => void (file.defaultPolicy = give(defaultPolicy)),
  defaultFairSharePreemptionTimeout: ({ root }, give) => void (root.fairSharePreemptionTimeout ??= give(count)),
  fairSharePreemptionTimeout: ({ root }, give) => void (root.fairSharePreemptionTimeout ??= give(count)),
  defaultMinSharePreemptionTimeout: ({ root }, give) => void (root.minSharePreemptionTimeout ??= give(count)),
  defaultFairSharePreemptionThreshold: ({ root }, give) => void (root.fairSharePreemptionThreshold ??= give(threshold)),
  queuePlacementPolicy: (file, _, element) => void (file.rules = readRules(element, file)),
}
const knownAtTop = ['queue', 'pool', ...Object.keys(topReaders), ...Object.keys(ignoredAtTop)]

/** Reads a fair-scheduler.xml. Throws `BAD_INPUT` with the line of the first mistake found. */
export function readFairFile(source: SourceText, top = readXml(source.text, source.file)): FairFile {
  const { file } = source
  const ignored = new Findings(file)
  const queues = top.children.filter(({ name }) => name === 'queue' || name === 'pool')
  const own = queues.find((each) => each.attributes['name']?.trim().toLowerCase() === 'root')
  if (own !== undefined && queues.length > 1) {
    const beside = queues.find((each) => each !== own) as XmlElement
    throw new SchedError(
      'BAD_INPUT',
      `queue "${beside.attributes['name'] ?? ''}" stands beside the root queue.`,
      { file, line: beside.line },
      'Put all other queues into the root queue.',
    )
  }
  const root: FairQueue = own === undefined ? { name: 'root', path: 'root', line: top.line, isParent: true, queues: [] } : readQueue(own, undefined, ignored)
  if (own === undefined) for (const each of queues) addQueue(root, each, ignored)
  const result: FairFile = { kind: 'fair', file, root, users: new Map(), ignored }
  for (const each of top.children) if (!queues.includes(each)) readTop(each, result)
  checkPolicies(root, undefined, result)
  return result
}

function readTop(element: XmlElement, file: FairFile): void {
  const { name, line } = element
  const read = Object.hasOwn(topReaders, name) ? topReaders[name] : undefined
  if (read === undefined) return file.ignored.add('ignored', element, name, element.text, ignoredAtTop[name] ?? unknown(name, knownAtTop))
  read(file, (reader) => ({ value: reader(element, { file: file.file, line, field: name }), line, text: element.text }), element)
}

/** Settings of Hadoop 1's fair scheduler, and their names in YARN. */
const ofHadoop1 = knownWords<string>({
  minMaps: 'minResources', minReduces: 'minResources', maxMaps: 'maxResources', maxReduces: 'maxResources', maxRunningJobs: 'maxRunningApps',
  poolMaxJobsDefault: 'queueMaxAppsDefault', userMaxJobsDefault: 'userMaxAppsDefault', defaultPoolSchedulingMode: 'defaultQueueSchedulingPolicy',
})

/** Why an element has no effect where it stands; YARN passes over it too. */
const unknown = (name: string, known: readonly string[]): string => {
  if (name === 'property') return 'properties stand in yarn-site.xml, which is given beside this file'
  if (/(^|:)include$/.test(name)) return 'YARN reads no includes in this file, only in those of properties: put the lines of that file here'
  if (name === 'minShare') return 'a setting of the pools of Spark, which YARN does not read; there it is minResources'
  const today = ofHadoop1[name]
  if (today !== undefined) return `a setting of Hadoop 1, which YARN does not read; there it is ${today}`
  if (known !== knownAtTop && knownAtTop.includes(name)) return 'it stands in <allocations>, not inside a queue or user'
  if (known === knownAtTop && Object.hasOwn(readers, name)) return 'it stands inside a <queue>'
  return `no such setting${didYouMean(name, known)}`
}

function readUser(element: XmlElement, file: FairFile): void {
  const name = element.attributes['name']
  if (name === undefined || name === '') throw new SchedError('BAD_INPUT', 'a user has no name.', { file: file.file, line: element.line }, 'Write <user name="...">.')
  for (const each of element.children) {
    const field = `user "${name}" ${each.name}`
    if (each.name === 'maxRunningApps') file.users.set(name, { value: count(each, { file: file.file, line: each.line, field }), line: each.line, text: each.text })
    else file.ignored.add('ignored', each, field, each.text, unknown(each.name, ['maxRunningApps']))
  }
}

function addQueue(parent: FairQueue, element: XmlElement, ignored: Findings): void {
  const queue = readQueue(element, parent, ignored)
  const twin = parent.queues.find(({ name }) => name === queue.name)
  if (twin !== undefined) throw new SchedError('BAD_INPUT', `queue "${queue.path}" is declared twice, first in line ${twin.line}.`, { file: ignored.file, line: element.line }, 'Declare it once.')
  parent.queues.push(queue)
}

function readQueue(element: XmlElement, parent: FairQueue | undefined, ignored: Findings): FairQueue {
  const { line } = element
  const name = (element.attributes['name'] ?? '').trim()
  const { file } = ignored
  if (name === '') throw new SchedError('BAD_INPUT', 'a queue has no name.', { file, line }, 'Write <queue name="...">.')
  if (name.includes('.')) throw new SchedError('BAD_INPUT', `the name of queue "${name}" has a period.`, { file, line }, 'Put queues inside each other instead.')
  const inside = element.children.filter((each) => each.name === 'queue' || each.name === 'pool')
  const holdsQueues = inside.length > 0 || element.attributes['type'] === 'parent'
  const isParent = parent === undefined || holdsQueues
  const queue: FairQueue = { name: parent === undefined ? 'root' : name, path: parent === undefined ? 'root' : `${parent.path}.${name}`, line, isParent, queues: [] }
  if (holdsQueues) checkForLeaves(element, queue, file)
  for (const each of element.children) if (!inside.includes(each)) readSetting(each, queue, ignored)
  for (const each of inside) addQueue(queue, each, ignored)
  checkBounds(queue, file)
  return queue
}

/** Throws `BAD_INPUT` with the line for a setting for leaves in a queue that holds queues, which Hadoop 3 refuses. */
function checkForLeaves({ children }: XmlElement, { path }: FairQueue, file: string): void {
  const stray = children.find(({ name }) => name === 'maxAMShare' || name === 'reservation')
  if (stray !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      'is for queues that hold jobs, and this one holds queues.',
      { file, line: stray.line, field: `${path} ${stray.name}` },
      stray.name === 'maxAMShare' ? 'Move it into those, or write queueMaxAMShareDefault for all.' : 'Move it into one of those.',
    )
}

function readSetting(element: XmlElement, queue: FairQueue, ignored: Findings): void {
  const { name, line } = element
  const setting = `${queue.path} ${name}`
  const read = Object.hasOwn(readers, name) ? (readers as Readonly<Record<string, Reader<unknown>>>)[name] : undefined
  if (read === undefined)
    return ignored.add(
      'ignored',
      element,
      setting,
      element.text,
      ignoredInQueue[name] ?? unknown(name, [...Object.keys(readers), ...Object.keys(ignoredInQueue), 'queue']),
    )
  const key = name === 'schedulingPolicy' || name === 'schedulingMode' ? 'policy' : name
  Object.assign(queue, { [key]: { value: read(element, { file: ignored.file, line, field: setting }), line, text: element.text } })
}

/** Throws `BAD_INPUT` with the line for a minimum above the maximum of the same resource, if both are amounts or both are percentages. */
function checkBounds({ path, minResources, maxResources }: FairQueue, file: string): void {
  const max = maxResources?.value.byName ?? {}
  for (const [name, least] of Object.entries(minResources?.value.byName ?? {})) {
    const most = max[name]
    if (most === undefined || typeof most !== typeof least || Number.parseFloat(String(least)) <= Number.parseFloat(String(most))) continue
    throw new SchedError(
      'BAD_INPUT',
      `minResources has ${least} ${name}, more than maxResources, ${most} (line ${maxResources?.line ?? 0}).`,
      { file, line: minResources?.line, field: path },
      'Raise the one or lower the other.',
    )
  }
}

/** Throws `BAD_INPUT` with the line for fifo on a queue that holds queues, and for drf inside fair. `parent`: the policy of the queue around it. */
function checkPolicies(queue: FairQueue, parent: FairPolicyName | undefined, file: FairFile): void {
  const own = queue.policy?.value ?? file.defaultPolicy?.value ?? 'fair'
  const at = { file: file.file, line: queue.policy?.line ?? queue.line, field: queue.path }
  if (own === 'fifo' && queue.isParent) throw new SchedError('BAD_INPUT', 'the policy is fifo, and the queue holds queues.', at, 'fifo is for queues that hold jobs.')
  if (own === 'drf' && parent === 'fair')
    throw new SchedError(
      'BAD_INPUT',
      'the policy is drf, and that of the queue around it is fair.',
      at,
      'Give the queues around it drf too, or this one fair or fifo.',
    )
  for (const each of queue.queues) checkPolicies(each, own, file)
}
