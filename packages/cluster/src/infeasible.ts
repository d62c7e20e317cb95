import { askedTogether, isGangJob, leastTasks, SchedError, startedTogether, type JobSpec, type NodeId, type Policy, type StageSpec } from '@sched/core'
import { checkStages } from './check-stages.js'
import type { ClusterModel } from './model.js'
import { labelsAsked, requirement } from './node-selector.js'
import type { Rule } from './rules.js'
import type { Shapes } from './shapes.js'

/**
 * Why a job can never run, even on the empty cluster: an `INFEASIBLE` error that names the constraint or the amount; `undefined` if it can run.
 * Throws `BAD_INPUT`, naming the job, for a demand that is invalid on the cluster.
 */
export function infeasible(spec: JobSpec, model: ClusterModel, shapes: Shapes): SchedError | undefined {
  const { stages } = spec
  if (!Array.isArray(spec.stages)) checkStages(spec)
  for (let i = 0; i < stages.length; i++) if (!canRun(spec, stages[i] as StageSpec, shapes)) return why(spec, stages[i] as StageSpec, model, shapes)
  if (isGangJob(spec)) return togetherInfeasible(spec, model, shapes)
  const first = stages[0]
  return first?.master === true ? besideMaster(spec, first, model, shapes) : undefined
}

/**
 * The error for a job that is one gang of several stages, if the policy does not start such jobs as a whole; `undefined` for any other job or policy.
 */
export function refusedWhole(spec: JobSpec, { startsGangJobs }: Policy): SchedError | undefined {
  if (startsGangJobs === true || !isGangJob(spec)) return undefined
  const wayOut = 'Use a policy that starts such jobs (greedy, easy, conservative, volcano, kueue, kai), or leave out `gang` of the job (of pods of Kubernetes: option `gang: stages`; of records of Slurm: `hetjobs: apart`): each of its stages that is a gang is then one of its own.'
  return new SchedError('INFEASIBLE', `job ${spec.id} is one gang of several stages, which its policy does not start together.`, {}, wayOut)
}

/**
 * Why stages that start together can never run, although each of them fits alone: they must be in one lane and ask for no more than the cluster has.
 * Whether nodes can be found for all of them is only known when they start.
 */
function togetherInfeasible(spec: JobSpec, model: ClusterModel, shapes: Shapes): SchedError | undefined {
  const lanes = new Set(spec.stages.map(({ demand, constraints }) => shapes.of(shapes.intern(demand, constraints)).lane))
  if (lanes.size > 1)
    return new SchedError(
      'INFEASIBLE',
      `job ${spec.id} is one gang, and its stages ask slots of several types, which are scheduled one by one`,
      {},
      'Describe the nodes with resources instead of slots.',
    )
  for (const [r, name] of model.resources.entries()) {
    const asked = Math.max(...startedTogether(spec).map((together) => askedTogether(together, name)))
    const total = model.total.subarray(r * model.nodes, (r + 1) * model.nodes).reduce((sum, amount) => sum + amount, 0)
    if (asked > total)
      return new SchedError(
        'INFEASIBLE',
        `job ${spec.id} is one gang and asks ${asked} ${name} at once, the nodes of ${model.name} have ${total}`,
        {},
        'Use more nodes.',
      )
  }
  return undefined
}

/** Why a stage can never run while the job's master holds its place. */
function besideMaster({ id, stages }: JobSpec, master: StageSpec, model: ClusterModel, shapes: Shapes): SchedError | undefined {
  const stage = stages.find((each) => each !== master && !shapes.canRunBeside(master, each))
  if (stage === undefined) return undefined
  const least = leastTasks(stage)
  const tasks = `${least === 1 ? 'a task' : `${least} tasks at once`} of ${JSON.stringify(stage.demand)}`
  return new SchedError(
    'INFEASIBLE',
    `the master of job ${id} asks ${JSON.stringify(master.demand)} and leaves no room for ${tasks} on the nodes of ${model.name}`,
    {},
    'Use larger nodes, or more of them.',
  )
}

function canRun(spec: JobSpec, stage: StageSpec, shapes: Shapes): boolean {
  try {
    return shapes.canRun(stage)
  } catch (error) {
    throw error instanceof SchedError && error.place.field === 'demand' ? error.at({ field: `demand of ${taker(spec, stage)}` }) : error
  }
}

/** Who asks for the demand: a master is often added to a job, next to the demand of its own. */
const taker = ({ id }: JobSpec, { master }: StageSpec): string => `${master === true ? 'the master of ' : ''}job ${id}`

function why(spec: JobSpec, stage: StageSpec, model: ClusterModel, shapes: Shapes): SchedError {
  const shape = shapes.intern(stage.demand, stage.constraints)
  const rule = shapes.rule(shape)
  const error = (fact: string, wayOut: string) => new SchedError('INFEASIBLE', fact, {}, wayOut)
  const asked = rule?.allowed === undefined ? '' : requirement(rule.selector)
  const taints = rule?.allowed === undefined ? [] : shapes.taintsThatBar(rule)
  const mayRun = rule?.allowed === undefined || rule.at.some((_, node) => shapes.allows(shape, node as NodeId))
  const named = `${model.name}${asked === '' ? '' : ` with ${asked}`}`
  if (rule !== undefined && !mayRun && taints.length === 0)
    return error(`job ${spec.id} requires ${asked}, which no node of ${model.name} has${known(rule, model)}`, 'Label the nodes.')
  if (!mayRun) {
    const has = taints.length === 1 ? 'it' : 'one of them'
    return error(`job ${spec.id} does not tolerate ${taintsText(taints)}, and every node of ${named} has ${has}`, `Let it tolerate ${has === 'it' ? 'that' : has} (\`tolerations\`).`)
  }
  const where = `of ${named}${taints.length === 0 ? '' : ` without ${taintsText(taints)}`}`
  const demand = JSON.stringify(stage.demand)
  if (!shapes.feasible(shape))
    return error(
      `${stage.master === true ? '' : 'a task of '}${taker(spec, stage)} asks ${demand}, more than any node ${where} has`,
      taints.length > 0
        ? 'Let it tolerate that (`tolerations`), or use larger nodes.'
        : model.nodes > 1
          ? (wholeDevices(stage, model) ?? dividing(stage) ?? 'Use larger nodes.')
          : (wholeDevices(stage, model) ?? 'Use larger nodes.'),
    )
  const least = leastTasks(stage)
  const most = shapes.most(shape, least)
  const apart = rule?.isDistinct === true ? ', each on a node of its own' : ''
  return error(`job ${spec.id} starts ${least} tasks of ${demand} at once, the nodes ${where} have room for ${most}${apart}`, 'Use more nodes.')
}

/** What to do where GPUs are asked in thousandths, as traces have it, of nodes that count whole ones. */
function wholeDevices({ demand }: StageSpec, model: ClusterModel): string | undefined {
  const most = (name: string) => Math.max(...model.total.slice(model.resources.indexOf(name) * model.nodes, (model.resources.indexOf(name) + 1) * model.nodes))
  const found = Object.entries(demand).find(([name, amount]) => /^gpus?$/i.test(name) && model.devices === undefined && amount >= 1000 && amount % 100 === 0 && most(name) > 0 && most(name) < 100)
  if (found === undefined) return undefined
  const [name] = found
  return `Thousandths of ${name} are asked for, and nodes have up to ${most(name)}: describe them as devices of 1000 each, \`devices: { ${name}: ${most(name)} }\`.`
}

/** How to divide a parallel job that was read as one task with all its processors, as logs name what it asks for; `undefined` for any other stage. */
function dividing({ tasks, demand }: StageSpec): string | undefined {
  const others = Object.keys(demand).filter((name) => name !== 'procs' && name !== 'nodes')
  if (tasks !== 1 || !('procs' in demand || 'nodes' in demand) || others.some((name) => name !== 'mem' && name !== 'gpus')) return undefined
  return others.length === 0
    ? 'Make each of its processors or nodes a task (of a log: `tasks: each`), or use larger nodes.'
    : 'Make what it has of each of its nodes a task (of records that tell the nodes of jobs: `tasks: node`), or use larger nodes.'
}

/** Most taints to name in a message. */
const NAMED_TAINTS = 4

const taintsText = (taints: readonly string[]): string =>
  `taint${taints.length === 1 ? '' : 's'} ${taints.slice(0, NAMED_TAINTS).join(', ')}${taints.length > NAMED_TAINTS ? ', ...' : ''}`

/** The values that nodes have for the labels that are asked for. */
function known({ selector }: Rule, { labels }: ClusterModel): string {
  const named = labelsAsked(selector).map((label) => {
    const values = labels.values(label)
    return values.length === 0 ? `no node has a label ${label}` : `${label}: ${values.slice(0, 8).join(', ')}${values.length > 8 ? ', ...' : ''}`
  })
  return named.length === 0 ? '' : ` (${named.join('; ')})`
}
