import { describe, expect, it } from 'vitest'
import { stringify } from '@sched/bundled/yaml'
import { detectFormatOf, jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

type Json = Readonly<Record<string, unknown>>

const at = (seconds: number) => new Date(Date.UTC(2024, 0, 31, 10) + seconds * 1000).toISOString().replace('.000', '')
const owned = (kind: string, name: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind, name, controller: true }] })
const containers = (cpu: string) => [{ name: 'main', resources: { requests: { cpu } } }]
/** A pod of 1 CPU, created at 0, that ran from 60 to 160. */
const pod = (name: string, metadata: Json, cpu = '1') => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ml', creationTimestamp: at(0), ...metadata }, spec: { containers: containers(cpu) },
  status: { phase: 'Succeeded', startTime: at(60), containerStatuses: [{ name: 'main', state: { terminated: { finishedAt: at(160) } } }] },
})
/** A Job of two pods at a time, that ran from 60 to 160. */
const job = (name: string, metadata: Json = {}) => ({
  apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'ml', creationTimestamp: at(0), ...metadata },
  spec: { parallelism: 2, completions: 2, template: { spec: { containers: containers('2') } } }, status: { startTime: at(60), completionTime: at(160) },
})
const other = (apiVersion: string, kind: string, name: string, spec: Json = {}, metadata: Json = {}) => ({ apiVersion, kind, metadata: { name, namespace: 'ml', creationTimestamp: at(-100), ...metadata }, spec })
const jobSet = (metadata: Json = {}) => other('jobset.x-k8s.io/v1alpha2', 'JobSet', 'set', {}, metadata)
const ofSet = { labels: { 'jobset.sigs.k8s.io/jobset-name': 'set' } }
/** A Workload of Kueue: created at -50, admitted at 50, finished at 160. */
const workload = (name: string, metadata: Json = {}, status: readonly (readonly [string, number])[] = [['Admitted', 50], ['Finished', 160]]) => ({
  apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'Workload', metadata: { name, namespace: 'ml', creationTimestamp: at(-50), ...metadata },
  spec: { queueName: 'gpus', priority: 100, podSets: [{ name: 'driver', count: 1, template: { spec: { containers: containers('1') } } }, { name: 'workers', count: 3, template: { spec: { containers: containers('4') } } }] },
  status: { conditions: status.map(([type, seconds]) => ({ type, status: 'True', lastTransitionTime: at(seconds) })) },
})

const list = (...items: readonly object[]) => ({ apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } })
const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { file: 'cluster.yaml', options })
const jobs = (...items: readonly object[]) => [...jobsOf(read(JSON.stringify(list(...items))))]
const brief = (...items: readonly object[]) => jobs(...items).map(({ id, submit, queue, stages, recorded }) => [id, submit, queue, recorded?.wait, stages.map(({ tasks, gang, demand }) => [gang === true ? -tasks : tasks, demand['cpu']])])

describe('YAML of Kubernetes', () => {
  const items = [job('train'), pod('train-0', owned('Job', 'train')), pod('note', { annotations: { text: 'one\n\nitems:\n- two\n---\n' } })]
  const expected = [...jobsOf(read(JSON.stringify(list(...items))))]

  it.each<[string, string]>([
    ['as kubectl prints lists', stringify(list(...items))],
    ['with dashes further in', stringify(list(...items), { indentSeq: true, indent: 4 })],
    ['as documents one after another', items.map((item) => stringify(item)).join('---\n')],
    ['with comments, blank lines and other ends of lines', `# printed today\n\n---\n${items.map((item) => stringify(item)).join('\n--- # next\n\n')}...\n`.replaceAll('\n', '\r\n')],
    ['lists one after another', [list(items[0]!), list(items[1]!, items[2]!)].map((each) => stringify(each)).join('---\n')],
  ])('is read %s', (_, text) => {
    expect(detectFormatOf(bytesOf(text)).name).toBe('kubernetes')
    expect([...jobsOf(read(text))]).toEqual(expected)
  })

  it('tells mistakes with their lines', () => {
    const text = stringify(list(...items))
    expect(messageOf(() => read(text.replace('cpu: "1"', 'cpu: "1')))).toMatch(/^"cluster\.yaml" line \d+: the object that begins on line 22 is no YAML: .* \(line \d+\)\./)
    expect(messageOf(() => read(text.replace('cpu: "1"', 'cpu: many')))).toContain('cpu: in the object that begins on line 22: found "many"')
    expect(messageOf(() => read(stringify(job('a')).replace('name: a', 'name: *nobody')))).toContain('the object that begins on line 1 is no YAML: Unresolved alias (the anchor must be set before the alias): nobody.')
    expect(messageOf(() => read(stringify(job('a')).replace('name: a', 'name: &a [*a]')))).toContain('the object that begins on line 1 has an anchor that holds itself. Write the value out')
    expect(messageOf(() => read(`${stringify(job('a'))}---\n- 1\n`))).toContain('found [1], expected an object.')
  })
})

describe('jobs of several kinds', () => {
  it('may be Workloads of Kueue that are not admitted yet, or have not finished, where it is said how long they run', () => {
    const text = JSON.stringify(list(workload('waits', {}, []), workload('runs', {}, [['Admitted', 50]])))
    const found = [...jobsOf(parseTrace(bytesOf(text), { file: 'cluster.json', options: { unfinished: 700 } }))]
    expect(found.map(({ id, recorded, stages }) => [id, recorded, stages.map(({ duration }) => duration)])).toEqual([['ml/waits', { status: 'pending' }, [700, 700]], ['ml/runs', { wait: 100, status: 'running' }, [700, 700]]])
    expect(messageOf(() => read(text))).toContain('the trace holds no jobs')
  })

  describe('of Volcano', () => {
    const task = (name: string, replicas: number, cpu: string) => ({ name, replicas, template: { metadata: { labels: { app: name } }, spec: { containers: containers(cpu) } } })
    const volcano = (phase: string, ran: readonly (readonly [string, number])[], spec: Json = {}) => ({
      ...other('batch.volcano.sh/v1alpha1', 'Job', 'vj', { queue: 'research', tasks: [task('ps', 1, '1'), task('worker', 4, '2'), task('none', 0, '8')], ...spec }),
      status: { state: { phase, lastTransitionTime: at(660) }, conditions: ran.map(([status, seconds]) => ({ status, lastTransitionTime: at(seconds) })) },
    })
    const ran = [['Pending', -100], ['Running', 60], ['Completed', 660]] as const

    it('are gangs of the pods of their tasks, which ran as long as they, where no pods are listed', () => {
      const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 7 }
      expect(jobs(high, volcano('Completed', ran, { minAvailable: 3, priorityClassName: 'high', plugins: { svc: [] } }))).toEqual([{
        id: 'ml/vj', submit: 0, user: 'ml', queue: 'research', priority: 7, recorded: { wait: 160, status: 'completed' }, gang: true,
        stages: [
          { name: 'pods', tasks: 1, demand: { cpu: 1000 }, duration: 600, gang: true },
          { name: 'pods-2', tasks: 4, demand: { cpu: 2000 }, duration: 600, gang: true, minTasks: 2 },
        ],
      }])
      expect(jobs(volcano('Aborted', ran))[0]!.recorded!.status).toBe('failed')
    })

    it('have as many pods of each task as that needs at least', () => {
      const tasks = [{ ...task('ps', 2, '1'), minAvailable: 1 }, { ...task('worker', 4, '2'), minAvailable: 2 }]
      expect(jobs(volcano('Completed', ran, { tasks }))[0]!.stages.map(({ tasks, minTasks }) => [tasks, minTasks])).toEqual([[2, 1], [4, 2]])
    })

    describe('with tasks that start after others (dependsOn)', () => {
      const after = (iteration: string | undefined, ...name: string[]) => ({ dependsOn: { name, ...(iteration !== undefined && { iteration }) } })
      const stages = (spec: Json) => jobs(volcano('Completed', ran, spec))[0]!.stages.map(({ tasks, demand, gang, minTasks }) => [demand['cpu'], tasks, gang === true ? (minTasks ?? tasks) : 0])
      // the launcher is listed first, the workers are needed first
      const mpi = [{ ...task('launcher', 1, '1'), ...after(undefined, 'worker') }, task('worker', 4, '2')]

      it('begin with those that wait for none, which alone are the gang', () => {
        expect(stages({ tasks: mpi, minAvailable: 3 })).toEqual([[2000, 4, 3], [1000, 1, 0]])
        // more than the workers have, or the minima of both, which Volcano never sees together
        expect(stages({ tasks: mpi, minAvailable: 5 })).toEqual([[2000, 4, 4], [1000, 1, 0]])
        expect(stages({ tasks: [mpi[0]!, { ...mpi[1]!, minAvailable: 2 }] })).toEqual([[2000, 4, 2], [1000, 1, 0]])
        expect(stages({ tasks: [mpi[0]!, { ...mpi[1]!, minAvailable: 2 }], minAvailable: 4 })).toEqual([[2000, 4, 3], [1000, 1, 0]])
      })

      it('come after all of these, or after one with `iteration: any`', () => {
        const three = (iteration: string) => ({ tasks: [task('a', 1, '1'), { ...task('b', 1, '2'), ...after(iteration, 'a', 'c') }, task('c', 1, '3')], minAvailable: 1 })
        expect(stages(three('all')).map(([cpu]) => cpu)).toEqual([1000, 3000, 2000])
        expect(stages(three('any')).map(([cpu]) => cpu)).toEqual([1000, 2000, 3000])
      })

      it('are the same where their pods are listed', () => {
        const of = (name: string, cpu: string) => pod(`vj-${name}-0`, { annotations: { 'volcano.sh/task-spec': name }, ...owned('Job', 'vj') }, cpu)
        expect(brief(volcano('Completed', ran, { tasks: mpi, minAvailable: 1 }), of('launcher', '1'), of('worker', '2'))[0]?.[4]).toEqual([[-1, 2000], [1, 1000]])
      })

      it.each<[string, Json[], string]>([
        ['wait for one that is not there', [{ ...task('a', 1, '1'), ...after(undefined, 'x') }], 'dependsOn.name: there is no task "x".'],
        ['wait for each other', [{ ...task('a', 1, '1'), ...after(undefined, 'b') }, { ...task('b', 1, '1'), ...after(undefined, 'a') }], 'dependsOn.name: the task waits for one that waits for it.'],
      ])('are refused if they %s, as by Volcano', (_, tasks, message) => {
        expect(messageOf(() => jobs(volcano('Completed', ran, { tasks })))).toContain(message)
      })
    })

    it('that have not ended run where it is said how long, from when they ran or else waiting', () => {
      const found = (phase: string, upTo: number) => {
        const text = JSON.stringify(list(volcano(phase, ran.slice(0, upTo))))
        return [...jobsOf(parseTrace(bytesOf(text), { file: 'cluster.json', options: { unfinished: 700 } }))].map(({ recorded, stages }) => [recorded, stages[0]!.duration])
      }
      expect(found('Pending', 1)).toEqual([[{ status: 'pending' }, 700]])
      expect(found('Running', 2)).toEqual([[{ wait: 160, status: 'running' }, 700]])
      expect(messageOf(() => read(JSON.stringify(list(volcano('Running', ran.slice(0, 2))))))).toContain('the trace holds no jobs')
    })

    it('have the pods that are listed instead', () => {
      expect(brief(volcano('Completed', ran), pod('vj-worker-0', owned('Job', 'vj')), pod('vj-worker-1', owned('Job', 'vj')))).toEqual([['ml/vj', 0, 'research', 160, [[-2, 1000]]]])
    })
  })

  it('of a JobSet are one, with the pods of its Jobs, from when it was created, a gang under Kueue', () => {
    const parts = [job('set-a-0', { ...ofSet, ...owned('JobSet', 'set') }), job('set-b-0', { ...ofSet, ...owned('JobSet', 'set') }), pod('set-b-0-x', { ...ofSet, ...owned('Job', 'set-b-0') }, '4')]
    expect(brief(jobSet({ labels: { 'kueue.x-k8s.io/queue-name': 'gpus' } }), ...parts)).toEqual([['ml/set', 0, 'gpus', 160, [[-2, 2000], [-1, 4000]]]])
    expect(brief(...parts)).toEqual([['ml/set', 0, 'ml', 60, [[2, 2000], [1, 4000]]]])
    expect(brief(parts[2]!)).toEqual([['ml/set', 0, 'ml', 60, [[1, 4000]]]])
  })

  it('of MPI have the launcher, a Job of its own, among their pods; a CronJob has as many jobs as it began', () => {
    expect(brief(other('kubeflow.org/v2beta1', 'MPIJob', 'mpi'), job('mpi-launcher', owned('MPIJob', 'mpi')), pod('mpi-launcher-x', owned('Job', 'mpi-launcher')), pod('mpi-worker-0', owned('MPIJob', 'mpi'), '8')))
      .toEqual([['ml/mpi', 0, 'ml', 160, [[1, 1000], [1, 8000]]]])
    expect(brief(other('batch/v1', 'CronJob', 'nightly'), job('nightly-1', owned('CronJob', 'nightly')), job('nightly-2', owned('CronJob', 'nightly'))).map(([id]) => id)).toEqual(['ml/nightly-1', 'ml/nightly-2'])
  })

  it('have the queue that Volcano\'s jobs and pod groups name', () => {
    const grouped = { annotations: { 'scheduling.k8s.io/group-name': 'vj-1' } }
    expect(brief(other('batch.volcano.sh/v1alpha1', 'Job', 'vj', { queue: 'research' }), pod('vj-0', { ...grouped, ...owned('Job', 'vj') }), pod('vj-1', { ...grouped, ...owned('Job', 'vj') }))).toEqual([['ml/vj', 0, 'research', 160, [[-2, 1000]]]])
    expect(brief(other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'vj-1', { queue: 'low', minMember: 1 }), pod('p', grouped))).toEqual([['ml/vj-1', 0, 'low', 160, [[1, 1000]]]])
  })
})

describe('pods that failed', () => {
  const run = (name: string, phase: string, from: number, to: number, cpu = '1') => ({
    ...pod(name, owned('Job', 'train'), cpu), status: { phase, startTime: at(from), containerStatuses: [{ name: 'main', state: { terminated: { finishedAt: at(to) } } }] },
  })
  const train = (completions: number, status: Json = { startTime: at(60), completionTime: at(400) }) =>
    ({ ...job('train', { labels: { 'kueue.x-k8s.io/queue-name': 'q' } }), spec: { parallelism: 2, completions, template: { spec: { containers: containers('1') } } }, status })
  const found = (...items: readonly object[]) => jobs(...items).map(({ recorded, stages }) => [recorded?.status, stages.map(({ tasks, gang, duration }) => [tasks, gang, duration])])

  it('are one task with those that their Job started for them, so that it has as many as it says', () => {
    const pods = [run('a', 'Failed', 60, 100), run('b', 'Succeeded', 60, 300), run('c', 'Failed', 110, 150), run('d', 'Succeeded', 200, 400)]
    expect(found(train(2), ...pods)).toEqual([['completed', [[2, true, [280, 240]]]]]) // 40 + 40 + 200
    expect(found(...[train(2), ...pods].reverse())).toEqual([['completed', [[2, true, [240, 280]]]]])
  })
  it('are for themselves where the Job has no fewer, was not there, or started no other after them that asks as much', () => {
    const failed = { startTime: at(60), conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: at(300) }] }
    expect(found(train(2, failed), run('a', 'Failed', 60, 100), run('b', 'Failed', 60, 300))).toEqual([['failed', [[2, true, [40, 240]]]]])
    expect(found(run('a', 'Failed', 60, 100), run('b', 'Succeeded', 110, 300))).toEqual([['failed', [[2, undefined, [40, 190]]]]])
    expect(found(train(1), run('a', 'Failed', 60, 100), run('b', 'Succeeded', 90, 300))[0]?.[1]).toEqual([[2, true, [40, 210]]])
    expect(found(train(1), run('a', 'Failed', 60, 100), run('b', 'Succeeded', 110, 300, '2'))[0]?.[1]).toHaveLength(2)
  })
})

describe('the priority of a group', () => {
  const klass = (name: string, value: number) => ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name, creationTimestamp: at(0) }, value })
  const grouped = { annotations: { 'scheduling.k8s.io/group-name': 'pg' } }
  const numbered = (metadata: Json) => ({ ...pod('p', metadata), spec: { containers: containers('1'), priority: 7 } })
  const found = (...items: readonly object[]) => {
    const trace = read(JSON.stringify(list(...items)))
    const [one] = jobsOf(trace)
    return [one?.priority, one?.queue, (trace.report.rules ?? []).map(({ rule }) => rule).filter((rule) => rule === 'classes').length]
  }
  const volcano = other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'pg', { minMember: 1, queue: 'research', priorityClassName: 'high' })
  const kai = other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', { minMember: 1, queue: 'team-a', priorityClassName: 'high' })

  it('is that of its PodGroup, or of its job of Volcano, whatever its pods have (Volcano, cache.go; KAI Scheduler)', () => {
    expect(found(volcano, klass('high', 1000), numbered(grouped))).toEqual([1000, 'research', 0])
    expect(found(kai, klass('high', 1000), numbered({ annotations: { 'pod-group-name': 'pg' }, ...owned('PyTorchJob', 'train') }))).toEqual([1000, 'team-a', 0])
    const ofVolcano = other('batch.volcano.sh/v1alpha1', 'Job', 'vj', { queue: 'low', priorityClassName: 'high' })
    expect(found(ofVolcano, klass('high', 1000), numbered({ ...grouped, ...owned('Job', 'vj') }))).toEqual([1000, 'low', 0])
  })
  it('is what Kueue says, by a Workload or by a class of its own, in whatever order they are listed', () => {
    const ofKueue = { apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'WorkloadPriorityClass', metadata: { name: 'high', creationTimestamp: at(0) }, value: 500 }
    const train = job('train', { labels: { 'kueue.x-k8s.io/queue-name': 'q', 'kueue.x-k8s.io/priority-class': 'high' } })
    const items = [numbered(owned('Job', 'train')), train, klass('high', 1000), ofKueue]
    const [ofClass, ofWorkload] = [[500, 'q', 0], [100, 'q', 0]]
    expect([found(...items), found(...[...items].reverse())]).toEqual([ofClass, ofClass])
    const told = [...items, workload('job-train', owned('Job', 'train'))]
    expect([found(...told)[0], found(...[...told].reverse())[0]]).toEqual([ofWorkload[0], ofWorkload[0]])
    expect(found(...items.slice(0, 3))).toEqual([7, 'q', 1])
  })
  it('is that of Kueue\'s class `default` where a job in a queue of Kueue names none, whatever its pods have (ApplyDefaultWorkloadPriorityClass in defaults_test.go)', () => {
    const ofKueue = (name: string, value: number) => ({ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'WorkloadPriorityClass', metadata: { name, creationTimestamp: at(0) }, value })
    const queued = { 'kueue.x-k8s.io/queue-name': 'q' }
    const of = (labels: Json, ...classes: readonly object[]) => found(numbered(owned('Job', 'train')), job('train', { labels }), ...classes)[0]
    const usual = ofKueue('default', 300)
    expect([of(queued, usual), of(queued, ofKueue('other', 300)), of({}, usual)]).toEqual([300, 7, 7]) // no label; no such class; of no queue of Kueue
    expect(of({ ...queued, 'kueue.x-k8s.io/priority-class': 'high' }, usual, ofKueue('high', 500))).toBe(500) // label already set
    const set = other('jobset.x-k8s.io/v1alpha2', 'JobSet', 'set')
    const labelled = { ...set, metadata: { ...(set as { metadata: Json }).metadata, labels: queued } }
    expect(found(numbered(owned('Job', 'train')), job('train', { ...owned('JobSet', 'set') }), labelled, usual)[0]).toBe(300) // its owner's, as a whole
    expect(found(numbered(owned('Job', 'train')), job('train', { labels: queued }), usual, workload('job-train', owned('Job', 'train')))[0]).toBe(100)
  })
  it('is that of who has none where it names no class: of all, for Volcano, whatever its pods have, and of its pods, for others; of them too where its class is not there, which is told', () => {
    const [none, ofJob] = [other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'pg', {}), other('batch.volcano.sh/v1alpha1', 'Job', 'vj', {})]
    const usual = { ...klass('usual', 10), globalDefault: true }
    expect([found(none, klass('high', 1000), numbered(grouped)), found(none, usual, numbered(grouped))]).toEqual([[undefined, 'ml', 0], [10, 'ml', 0]])
    expect(found(ofJob, usual, numbered(owned('Job', 'vj')))).toEqual([10, 'ml', 0])
    expect(found(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', {}), usual, numbered({ annotations: { 'pod-group-name': 'pg' } }))).toEqual([7, 'ml', 0])
    expect(found(volcano, numbered(grouped))).toEqual([7, 'research', 1])
  })
})

describe('what a group of pods asks at least', () => {
  const grouped = { annotations: { 'scheduling.k8s.io/group-name': 'pg' } }
  const stagesOf = (...objects: readonly object[]) => jobs(...objects)[0]?.stages.map(({ tasks, gang, minTasks }) => [tasks, gang, minTasks])
  const three = (metadata: Json) => ['a', 'b', 'c'].map((name) => pod(name, metadata))

  it('is how many of its pods start together, said of a PodGroup or of a job of Volcano', () => {
    const group = (minMember: number) => other('scheduling.x-k8s.io/v1alpha1', 'PodGroup', 'pg', { minMember })
    const volcano = (minAvailable: number) => other('batch.volcano.sh/v1alpha1', 'Job', 'vj', { minAvailable })
    const ofVolcano = { ...grouped, ...owned('Job', 'vj') }
    expect(stagesOf(group(2), ...three(grouped))).toEqual([[3, true, 2]])
    expect(stagesOf(...three(grouped), group(3))).toEqual([[3, true, undefined]])
    expect(stagesOf(volcano(1), ...three(ofVolcano))).toEqual([[3, true, 1]])
    expect(stagesOf(group(2), ...three(ofVolcano))).toEqual([[3, true, 2]]) // Volcano makes the group of a job
  })

  it('is said of a Job that Kueue may admit in part', () => {
    const asking = (least: string) => ({ annotations: { 'kueue.x-k8s.io/job-min-parallelism': least }, labels: { 'kueue.x-k8s.io/queue-name': 'gpus' } })
    const three = ['a', 'b', 'c'].map((name) => pod(name, owned('Job', 'train')))
    expect([asking('2'), asking('many'), { labels: {} }].map((metadata) => stagesOf(other('batch/v1', 'Job', 'train', {}, metadata), ...three))).toEqual([[[3, true, 2]], [[3, true, undefined]], [[3, undefined, undefined]]])
  })

  it('is said by Kubernetes itself of a group that pods name in their specification, by its policy', () => {
    const inGroup = (name: string, metadata: Json = {}) => { const made = pod(name, metadata); return { ...made, spec: { ...made.spec, schedulingGroup: { podGroupName: 'workers' } } } }
    const group = (schedulingPolicy: Json, more: Json = {}) => other('scheduling.k8s.io/v1beta1', 'PodGroup', 'workers', { schedulingPolicy, priorityClassName: 'high', ...more })
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 7 }
    const pods = (metadata: Json = {}) => ['a', 'b', 'c'].map((name) => inGroup(name, metadata))
    expect([{ gang: { minCount: 2 } }, { gang: { minCount: 3 } }, { basic: {} }].map((policy) => stagesOf(group(policy), ...pods()))).toEqual([[[3, true, 2]], [[3, true, undefined]], [[3, true, 1]]])
    expect(jobs(high, group({ gang: { minCount: 3 } }), ...pods(owned('Job', 'train'))).map(({ id, priority, stages }) => [id, priority, stages.length])).toEqual([['ml/train', 7, 1]])
    const levels = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Topology', metadata: { name: 't' }, spec: { levels: [{ nodeLabel: 'rack' }] } }
    expect(jobs(levels, group({ gang: { minCount: 3 } }, { schedulingConstraints: { topology: [{ key: 'rack' }] } }), ...pods())[0]?.topology).toEqual({ required: 1 })
  })

  it('is said by KAI of a group that pods name beside their controller', () => {
    const ofKai = { annotations: { 'pod-group-name': 'pg-train-1' }, labels: { 'kai.scheduler/queue': 'team-a' }, ...owned('PyTorchJob', 'train') }
    const group = other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg-train-1', { minMember: 2, queue: 'team-a' }, owned('PyTorchJob', 'train'))
    expect(jobs(group, ...three(ofKai)).map(({ id, queue, stages }) => [id, queue, stages.map(({ tasks, gang, minTasks }) => [tasks, gang, minTasks])])).toEqual([['ml/train', 'team-a', [[3, true, 2]]]])
  })

  it('is that of the first kinds of its pods where these ask different amounts: the job is one gang', () => {
    const group = (minMember: number) => [other('v1', 'PodGroup', 'pg', { minMember }), ...three(grouped), pod('d', grouped, '2')]
    expect([2, 3, 4].map((least) => stagesOf(...group(least)))).toEqual([[[3, true, 2], [1, undefined, undefined]], [[3, true, undefined], [1, undefined, undefined]], [[3, true, undefined], [1, true, undefined]]])
    expect(jobs(...group(4))[0]).toMatchObject({ gang: true })
  })

  it('is that of each of its kinds, named by Volcano\'s tasks, and what it asks more is of the first', () => {
    const ofKind = (task: string) => (['a', 'b', 'c'] as const).map((name) => pod(`${task}-${name}`, { annotations: { ...grouped.annotations, 'volcano.sh/task-spec': task } }))
    const group = (minMember: number, minTaskMember: Json) => [other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'pg', { minMember, minTaskMember }), ...ofKind('ps'), ...ofKind('worker')]
    expect(stagesOf(...group(3, { ps: 1, worker: 2 }))).toEqual([[3, true, 1], [3, true, 2]]) // alike, and yet of two kinds
    expect(stagesOf(...group(5, { ps: 1, worker: 2 }))).toEqual([[3, true, undefined], [3, true, 2]])
    expect(stagesOf(...group(3, { worker: 2 }))).toEqual([[3, true, 1], [3, true, 2]])
    expect(stagesOf(...group(2, { worker: 2 }))).toEqual([[3, undefined, undefined], [3, true, 2]])
    expect(stagesOf(...group(2, { ps: 1, worker: 2 }))).toEqual([[6, true, 2]]) // those of the tasks are more than that of the job: they do not count
    const [job] = [...jobsOf(read(JSON.stringify(list(...group(3, { ps: 1, worker: 2 }))), { gang: 'stages' }))]
    expect(job?.stages.map(({ gang, minTasks }) => [gang, minTasks])).toEqual([[true, 1], [true, 2]])
  })

  it('is said by the tasks of a job of Volcano, of all pods of a task that says nothing', () => {
    const ofJob = (task: string) => ['a', 'b'].map((name) => pod(`vj-${task}-${name}`, { annotations: { ...grouped.annotations, 'volcano.sh/task-spec': task }, ...owned('Job', 'vj') }))
    const volcano = (minAvailable: number) => other('batch.volcano.sh/v1alpha1', 'Job', 'vj', { minAvailable, tasks: [{ name: 'ps', replicas: 2, minAvailable: 1 }, { name: 'worker', replicas: 2 }] })
    expect(stagesOf(volcano(3), ...ofJob('ps'), ...ofJob('worker'))).toEqual([[2, true, 1], [2, true, undefined]])
    expect(stagesOf(volcano(2), ...ofJob('ps'), ...ofJob('worker'))).toEqual([[4, true, 2]])
  })

  it('is that of each subgroup of KAI, whatever its group says', () => {
    const ofGroup = (name: string) => ['a', 'b', 'c'].map((each) => pod(`${name}-${each}`, { annotations: { 'pod-group-name': 'pg' }, labels: { 'kai.scheduler/subgroup-name': name } }))
    const group = other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', { minMember: 1, subGroups: [{ name: 'decode', minMember: 2 }, { name: 'prefill', minMember: 1 }] })
    expect(stagesOf(group, ...ofGroup('decode'), ...ofGroup('prefill'))).toEqual([[3, true, 2], [3, true, 1]])
  })

  it.each<[string, Json, string]>([
    ['a parent that is not there', { subGroups: [{ name: 'a', minMember: 1 }, { name: 'b', parent: 'x', minMember: 1 }] }, 'spec.subGroups[1].parent: there is no subgroup "x".'],
    ['a name that comes twice', { subGroups: [{ name: 'a', minMember: 1 }, { name: 'b', parent: 'a', minMember: 1 }, { name: 'a', parent: 'b', minMember: 1 }] }, 'spec.subGroups[2].name: subgroup "a" was given before.'],
    ['a parent of itself', { subGroups: [{ name: 'a', parent: 'a', minMember: 1 }] }, 'the subgroup "a" is in itself.'],
    ['a ring', { subGroups: [{ name: 'a', parent: 'c' }, { name: 'b', parent: 'a' }, { name: 'c', parent: 'b' }] }, 'the subgroup "a" is in itself.'],
    ['two rings', { subGroups: [{ name: 'x' }, { name: 'a', parent: 'b' }, { name: 'b', parent: 'a' }, { name: 'c', parent: 'd' }, { name: 'd', parent: 'c' }] }, 'spec.subGroups[1].parent: the subgroup "a" is in itself.'],
    ['a subgroup above a ring', { subGroups: [{ name: 'x', parent: 'a' }, { name: 'a', parent: 'b' }, { name: 'b', parent: 'a' }] }, 'spec.subGroups[1].parent: the subgroup "a" is in itself.'],
    ['both minima in the group', { minMember: 2, minSubGroup: 1, subGroups: [{ name: 'a', minMember: 1 }] }, 'spec.minSubGroup: is given beside minMember. Give one of them'],
    ['both minima in a subgroup', { subGroups: [{ name: 'a', minMember: 2, minSubGroup: 1 }, { name: 'b', parent: 'a', minMember: 1 }] }, 'spec.subGroups[0].minSubGroup: is given beside minMember. Give one of them'],
    ['minSubGroup without subgroups', { subGroups: [{ name: 'a', minSubGroup: 1 }] }, 'spec.subGroups[0].minSubGroup: there is no subgroup in "a". Give minMember'],
    ['minSubGroup 0', { minSubGroup: 0, subGroups: [{ name: 'a', minMember: 1 }] }, 'spec.minSubGroup: found 0, expected a number of at least 1.'],
  ])('is refused where KAI refuses it: %s (TestValidateSubGroups)', (_, spec, message) => {
    expect(messageOf(() => jobs(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', spec), pod('a-0', { annotations: { 'pod-group-name': 'pg' }, labels: { 'kai.scheduler/subgroup-name': 'a' } })))).toContain(message)
  })

  describe('of a group of KAI with minSubGroup', () => {
    const subgroup = (name: string, pods: number) => Array.from({ length: pods }, (_, i) => pod(`${name}-${i}`, { annotations: { 'pod-group-name': 'pg' }, labels: { 'kai.scheduler/subgroup-name': name } }))
    const leastIn = (spec: Json, pods: Readonly<Record<string, number>>, options: object = {}) => {
      const text = JSON.stringify(list(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', spec), ...Object.entries(pods).flatMap(([name, count]) => subgroup(name, count))))
      const stages = [...jobsOf(read(text, options))][0]?.stages ?? []
      return stages.map(({ tasks, gang, minTasks = tasks, optionalGroup }) => (gang !== true ? 0 : optionalGroup === undefined ? minTasks : `${optionalGroup} ${minTasks}`))
    }
    const replicas = (least: number) => ['c', 'b', 'a'].map((name) => ({ name, minMember: least }))

    it('is that of so many subgroups, the first by name, and each other one starts as a whole', () => {
      const pods = { c: 3, b: 3, a: 3 }
      expect([1, 2, 3].map((minSubGroup) => leastIn({ minSubGroup, subGroups: replicas(2) }, pods))).toEqual([[2, 'c 2', 'b 2'], [2, 2, 'c 2'], [2, 2, 2]])
      expect(leastIn({ subGroups: replicas(2) }, pods)).toEqual([2, 2, 2])
    })

    it('is that of those with pods enough, and of the others where they are too few', () => {
      expect(leastIn({ minSubGroup: 1, subGroups: replicas(2) }, { c: 2, b: 3, a: 1 })).toEqual([2, 'c 2', 'a 1'])
      expect(leastIn({ minSubGroup: 2, subGroups: replicas(3) }, { c: 1, b: 3, a: 1 })).toEqual([3, 1, 'c 1'])
    })

    it('counts subgroups that need no pods first', () => {
      const subGroups = [{ name: 'a', minMember: 2 }, { name: 'b', minMember: 2 }, { name: 'idle', minMember: 0 }]
      expect(leastIn({ minSubGroup: 2, subGroups }, { a: 2, b: 2, idle: 2 })).toEqual([2, 0, 'b 2'])
    })

    it('is told of subgroups in others for each of them: three of four for prefill and one of two for decode', () => {
      const prefill = ['p0', 'p1', 'p2', 'p3'].map((name) => ({ name, parent: 'prefill', minMember: 8 }))
      const decode = ['d0', 'd1'].map((name) => ({ name, parent: 'decode', minMember: 4 }))
      const subGroups = [{ name: 'prefill', minSubGroup: 3 }, ...prefill, { name: 'decode', minSubGroup: 1 }, ...decode]
      const pods = { p0: 8, p1: 8, p2: 8, p3: 8, d0: 4, d1: 4 }
      expect(leastIn({ minSubGroup: 2, subGroups }, pods)).toEqual([8, 8, 8, 4, 'p3 8', 'd1 4'])
      expect(leastIn({ minSubGroup: 1, subGroups }, pods)).toEqual([4, 'prefill 8', 'prefill 8', 'prefill 8', 'p3 8', 'd1 4'])
      expect(leastIn({ minSubGroup: 2, subGroups: [{ name: 'prefill', minSubGroup: 0 }, ...subGroups.slice(1)] }, pods)).toEqual([4, 'p0 8', 'p1 8', 'p2 8', 'p3 8', 'd1 4'])
    })

    it('says what may not be preempted where `minNonPreemptible` is more, of pods, of subgroups and of a group without any', () => {
      const keptIn = (spec: Json, pods: Readonly<Record<string, number>>) =>
        ([...jobsOf(read(JSON.stringify(list(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', spec), ...Object.entries(pods).flatMap(([name, count]) => subgroup(name, count))))))][0]?.stages ?? []).map(({ minNonPreemptible = 0 }) => minNonPreemptible)
      expect(keptIn({ minSubGroup: 1, minNonPreemptible: 2, subGroups: replicas(2) }, { c: 2, b: 2, a: 2 })).toEqual([0, 0, 2]) // a needs both, c is optional, b is kept
      expect(keptIn({ subGroups: [{ name: 'a', minMember: 1, minNonPreemptible: 3 }, { name: 'b', minMember: 2, minNonPreemptible: 1 }] }, { a: 4, b: 4 })).toEqual([3, 0])
      expect(keptIn({ minMember: 2, minNonPreemptible: 3 }, { a: 4 })).toEqual([3])
    })

    it('is that of each subgroup alone for policies that start stages one by one', () => {
      expect(leastIn({ minSubGroup: 1, subGroups: replicas(2) }, { a: 3, b: 3, c: 3 }, { gang: 'stages' })).toEqual([2, 2, 2])
    })
  })

  it('is not what says whether a job may be preempted: its group, object or pods do, for KAI, Volcano and YuniKorn', () => {
    const says = (...items: readonly object[]) => jobs(...items).map(({ preemptible }) => preemptible)
    const label = (key: string, value: string) => ({ labels: { [key]: value } })
    const note = (key: string, value: string) => ({ annotations: { [key]: value } })
    const group = (spec: Json) => [other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', { minMember: 1, ...spec }), ...three({ annotations: { 'pod-group-name': 'pg' } })]
    expect([says(...group({ preemptibility: 'non-preemptible' })), says(...group({ preemptibility: 'preemptible' })), says(...group({ preemptibility: 'semi-preemptible' })), says(...group({}))]).toEqual([[false], [true], ['semi'], [undefined]])
    expect(says(pod('a', label('kai.scheduler/preemptibility', 'preemptible')), pod('b', label('kai.scheduler/preemptibility', 'non-preemptible')), pod('c', label('kai.scheduler/preemptibility', 'never')))).toEqual([true, false, undefined])
    expect(says(job('train', label('kai.scheduler/preemptibility', 'non-preemptible')))).toEqual([false])
    expect(says(pod('a', label('kai.scheduler/preemptibility', 'semi-preemptible')))).toEqual(['semi'])
    expect(says(pod('a', note('volcano.sh/preemptable', 'false')), pod('b', label('volcano.sh/preemptable', 'maybe')), pod('c', note('volcano.sh/preemptable', 'true')))).toEqual([false, false, true])
    expect(says(pod('a', note('volcano.sh/revocable-zone', '*')), pod('b', note('volcano.sh/revocable-zone', 'rz1')), pod('c', { annotations: { 'volcano.sh/revocable-zone': '*', 'volcano.sh/preemptable': 'false' } }))).toEqual([true, undefined, false])
    expect(says(pod('a', note('yunikorn.apache.org/allow-preemption', 'false')), pod('b', note('yunikorn.apache.org/allow-preemption', 'true')))).toEqual([false, undefined])
  })

  it('is not to be preempted only where none of its pods is', () => {
    const of = (...values: readonly (string | undefined)[]) => jobs(...values.map((value, i) => pod(`p-${i}`, { ...owned('Job', 'j'), ...(value !== undefined && { annotations: { 'volcano.sh/preemptable': value } }) })))[0]?.preemptible
    expect([of('false', 'false'), of('false', undefined), of('true', 'false')]).toEqual([false, undefined, undefined])
  })

  it('says whether it may be moved, by its pod group of KAI, or else by annotations of the object around its pods or of a pod', () => {
    const says = (word: string) => ({ 'kai.scheduler/safe-to-consolidate': word })
    const of = (spec: Json, ...words: readonly string[]) => jobs(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', { minMember: 1, ...spec }), ...['p', ...words].map((word, i) => pod(`p-${i}`, { annotations: { 'pod-group-name': 'pg', ...(i > 0 && says(word)) } })))[0]?.movable
    expect([of({}), of({ safeToConsolidate: false }), of({ safeToConsolidate: true }, 'false'), of({}, 'false'), of({}, 'true', 'no')]).toEqual([undefined, false, undefined, false, undefined])
    expect(jobs(job('train', { annotations: says('false') }))[0]?.movable).toBe(false)
  })

  it('says whether its nodes may be removed, by annotations of pods, and not whether it may be moved', () => {
    const safe = (word: string) => ({ annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': word } })
    const of = (...words: readonly string[]) => jobs(other('scheduling.run.ai/v2alpha2', 'PodGroup', 'pg', { minMember: 1 }), ...words.map((word, i) => pod(`p-${i}`, { annotations: { 'pod-group-name': 'pg', ...safe(word).annotations } })))[0]
    expect(['true', 'false', 'no'].map((word) => of(word)?.drainable)).toEqual([undefined, false, undefined])
    expect([of('true', 'false')?.drainable, of('false')?.movable]).toEqual([false, undefined])
    expect(jobs(pod('p', { labels: safe('false').annotations }))[0]?.drainable).toBe(undefined) // a label says nothing
    expect(jobs(job('train', safe('false')))[0]?.drainable).toBe(undefined) // nor do objects around pods
  })

  it('says how long it should wait at most, by annotations of its job or group, as far as Volcano understands them', () => {
    const of = (annotations: Record<string, string>) => {
      const group = other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'pg', { minMember: 1 })
      const [found] = jobs({ ...group, metadata: { ...(group as { metadata: object }).metadata, annotations } }, ...three({ annotations: { 'scheduling.k8s.io/group-name': 'pg' } }))
      return found?.longestWait
    }
    const [ofVolcano, short] = ['volcano.sh/sla-waiting-time', 'sla-waiting-time']
    expect([of({ [ofVolcano]: '10m' }), of({ [short]: '1h2m3s' }), of({ [ofVolcano]: '5s', [short]: '9s' }), of({ [ofVolcano]: 'soon', [short]: '9s' })]).toEqual([600, 3723, 5, 9])
    expect([of({ [ofVolcano]: '0' }), of({ [short]: '-5s' }), of({ [short]: '60' }), of({})]).toEqual([undefined, undefined, undefined, undefined])
    expect(jobs(job('train', { annotations: { [short]: '90s' } }))[0]?.longestWait).toBe(90)
  })

  it('says for how long its pods run on once they must go, if that is not 30 s', () => {
    const of = (...graces: readonly (number | undefined)[]) => jobs(...graces.map((grace, i) => {
      const each = pod(`p-${i}`, owned('Job', 'j')) as { spec: object }
      return { ...each, spec: { ...each.spec, ...(grace !== undefined && { terminationGracePeriodSeconds: grace }) } }
    }))[0]?.gracePeriod
    expect([of(undefined), of(30, undefined), of(0), of(5, 5), of(5, undefined), of(5, 600)]).toEqual([undefined, undefined, 0, 5, undefined, 600])
  })

  it('says how many of its pods may be taken at a time, by annotations of its job or group', () => {
    const of = (annotations: Record<string, string>) => {
      const group = other('scheduling.volcano.sh/v1beta1', 'PodGroup', 'pg', { minMember: 1 })
      const [found] = jobs({ ...group, metadata: { ...(group as { metadata: object }).metadata, annotations } }, ...three({ annotations: { 'scheduling.k8s.io/group-name': 'pg' } }))
      return found?.disruptionBudget
    }
    const [least, most] = ['volcano.sh/jdb-min-available', 'volcano.sh/jdb-max-unavailable']
    expect([of({ [least]: '2' }), of({ [most]: '30%' }), of({ [least]: '50%', [most]: '1' }), of({ [most]: 'some' }), of({})]).toEqual([{ minAvailable: 2 }, { maxUnavailable: '30%' }, { minAvailable: '50%' }, undefined, undefined])
    expect(jobs(job('train', { annotations: { [most]: '1' } }))[0]?.disruptionBudget).toEqual({ maxUnavailable: 1 })
  })

  it('is all of each kind apart for policies that start stages one by one', () => {
    const objects = [other('v1', 'PodGroup', 'pg', { minMember: 2 }), ...three(grouped), pod('d', grouped, '2')]
    const [job] = [...jobsOf(read(JSON.stringify(list(...objects)), { gang: 'stages' }))]
    expect([job?.gang, job?.stages.map(({ tasks, gang, minTasks }) => [tasks, gang, minTasks])]).toEqual([undefined, [[3, true, undefined], [1, undefined, undefined]]])
  })
})

describe('Workloads of Kueue', () => {
  it('are jobs whose pods are gone: from admission until finished, all sets of pods one gang', () => {
    expect(jobs(workload('job-train', owned('Job', 'train')))).toEqual([{
      id: 'ml/train', submit: 0, user: 'ml', queue: 'gpus', priority: 100, recorded: { wait: 100, status: 'completed' }, gang: true,
      stages: [{ name: 'pods', tasks: 1, demand: { cpu: 1000 }, duration: 110, gang: true }, { name: 'pods-2', tasks: 3, demand: { cpu: 4000 }, duration: 110, gang: true }],
    }])
    expect(brief(workload('alone', {}, [['QuotaReserved', 40], ['Finished', 160]]))).toEqual([['ml/alone', 0, 'gpus', 90, [[-1, 1000], [-3, 4000]]]])
  })

  it('tell queue and priority of jobs whose pods are there, also of a group of pods', () => {
    expect(brief(workload('job-train', owned('Job', 'train')), job('train'), pod('train-0', owned('Job', 'train')))).toEqual([['ml/train', 0, 'gpus', 110, [[1, 1000]]]])
    const group = { labels: { 'kueue.x-k8s.io/pod-group-name': 'group' } }
    const ofPods = { ownerReferences: ['a', 'b'].map((name) => ({ kind: 'Pod', name })) }
    expect(brief(workload('group', ofPods), pod('a', group), pod('b', group))).toEqual([['ml/group', 0, 'gpus', 110, [[-2, 1000]]]])
  })

  it('that still wait or run are left out, and counted', () => {
    const trace = read(JSON.stringify(list(workload('waits', {}, []), workload('runs', {}, [['Admitted', 50]]), job('train'))))
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['ml/train'])
    expect(trace.report.notes).toContain('2 jobs without an end, and without pods that have ended: left out (empty)')
  })
})

it('all of a cluster in one list is known, though nodes stand before pods', () => {
  const node = (i: number) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}`, creationTimestamp: at(0), annotations: { text: 'x'.repeat(2000) } }, status: { allocatable: { cpu: '8' } } })
  const all = list(...Array.from({ length: 40 }, (_, i) => node(i)), job('train'))
  for (const text of [JSON.stringify(all), stringify(all)]) {
    expect(detectFormatOf(bytesOf(text)).name).toBe('kubernetes')
    expect(read(text).report.notes).toEqual(['40 objects other than pods and Jobs: passed over (others)'])
  }
  expect(messageOf(() => detectFormatOf(bytesOf(stringify(list(node(1))))))).toContain('looks like nodes of Kubernetes (for --nodes)')
})
