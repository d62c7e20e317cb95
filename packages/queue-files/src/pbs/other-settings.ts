import { knownWords } from '@sched/core'
import { notSimulated } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { isTrue } from './attributes.js'
import { sizeOf } from './sizes.js'
import { whyNotCounted } from './limits.js'
import type { PbsFile } from './pbs-file.js'
import { whyNotBounded } from './place-jobs.js'
import { isRoute } from './queues.js'
import type { Verdicts } from './verdicts.js'

const OBSOLETE = 'obsolete, current versions of OpenPBS pass over it: '
const BY_QMGR = `${OBSOLETE}it is set of the scheduler with qmgr`
const NO_STARVING = `${OBSOLETE}jobs starve no more, and a formula goes by eligible_time`
const AT_ONCE = 'jobs are looked at whenever something changes'

/** Settings that bear on when jobs start but have no effect here, and why. Behind a period is the name of a resource. */
const why = knownWords<string>({
  // of a sched_config
  help_starving_jobs: NO_STARVING, max_starve: NO_STARVING, preempt_prio: BY_QMGR, preempt_queue_prio: BY_QMGR, preempt_order: BY_QMGR, preempt_sort: BY_QMGR,
  log_filter: BY_QMGR, backfill: `${OBSOLETE}backfill_depth of the server counts`, sort_queues: `${OBSOLETE}with by_queue they are sorted`, strict_fifo: `${OBSOLETE}write strict_ordering`,
  dedicated_prefix: 'there is no dedicated time', load_balancing: 'nodes have no load of their own', peer_queue: 'there is one server', server_dyn_res: 'no programs are run', mom_resources: 'no programs are run',
  provision_policy: 'nodes are not provisioned', update_comments: 'jobs have no comments', unset_res_infinite: 'resources of nodes are those of the cluster',
  // of qmgr
  scheduling: AT_ONCE, scheduler_iteration: AT_ONCE, sched_cycle_length: AT_ONCE, throughput_mode: AT_ONCE, max_job_check: AT_ONCE,
  max_queued: 'jobs are not refused for how many wait', max_queued_res: 'jobs are not refused for how many wait', max_queuable: 'jobs are not refused for how many wait', queued_jobs_threshold: 'jobs are not refused for how many wait',
  queued_jobs_threshold_res: 'jobs are not refused for how many wait',
  max_array_size: 'jobs are as large as the workload says', max_run_subjobs: 'arrays are throttled as the workload says',
  resources_default: 'jobs ask for what the workload says', default_chunk: 'jobs ask for what the workload says', default_qsub_arguments: 'jobs ask for what the workload says',
  partition: 'there is one scheduler', opt_backfill_fuzzy: 'reservations are exact', preempt_targets_enable: 'preempt_targets count',
  acl_host_enable: 'jobs come from no hosts', acl_hosts: 'jobs come from no hosts', acl_roots: 'it decides nothing about jobs', kill_delay: 'jobs end at once',
  alt_router: 'routing queues pass jobs on in the order of their destinations', route_held_jobs: 'jobs are not held', route_waiting_jobs: 'jobs do not wait in routing queues',
  route_retry_time: 'jobs do not wait in routing queues', route_lifetime: 'jobs do not wait in routing queues',
})

/** Tells what becomes of the queues, of what they let in, and of amounts of the whole server. */
export function tellQueues(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>, countsPriority: boolean, verdicts: Verdicts): void {
  const { server, queues } = file
  verdicts.tell(server.get('default_queue'), 'honoured')
  for (const queue of queues) {
    const { attributes, created, name } = queue
    const [isEnabled, isStarted] = [isTrue(attributes.get('enabled')), isTrue(attributes.get('started'))]
    verdicts.tell(created, 'honoured', isEnabled === undefined ? `${name} is not enabled, and takes no jobs` : isStarted === undefined ? `${name} is not started: ${isRoute(queue) ? 'its jobs are refused, and wait in OpenPBS' : 'its jobs wait'}` : '')
    for (const each of ['enabled', 'queue_type', 'from_route_only', ...(isRoute(queue) ? ['route_destinations'] : [])]) verdicts.tell(attributes.get(each), 'honoured')
    verdicts.tell(attributes.get('started'), isStarted !== true && isRoute(queue) ? 'approximated' : 'honoured', isStarted === true ? '' : isRoute(queue) ? 'its jobs are refused, and wait in OpenPBS' : 'its jobs wait')
    verdicts.honour(attributes.get('priority'), isRoute(queue) ? 'no jobs run in a routing queue' : countsPriority ? '' : 'neither by_queue, an express queue nor the formula counts it')
    if (isRoute(queue)) for (const [key, attribute] of attributes) if (/^(max_run|max_user_run|max_group_run|max_running|backfill_depth|node_group_key)/.test(key)) verdicts.tell(attribute, 'ignored', 'no jobs run in a routing queue')
  }
  for (const attributes of [server, ...queues.map((queue) => queue.attributes)]) {
    for (const of of ['user', 'group']) {
      const [enabled, list] = [attributes.get(`acl_${of}_enable`), attributes.get(`acl_${of}s`)]
      const isOn = isTrue(enabled) === true
      verdicts.tell(enabled, 'honoured')
      const note = of === 'group' ? 'groups are the accounts of jobs' : list?.value.includes('@') === true ? 'jobs come from no hosts: users count without them' : ''
      verdicts.tell(list, isOn ? (note === '' ? 'honoured' : 'approximated') : 'ignored', isOn ? note : `acl_${of}_enable is not True`)
    }
    for (const [key, attribute] of attributes) {
      const [name = '', resource] = key.split('.')
      if (resource === undefined || !['resources_max', 'resources_min', 'resources_default'].includes(name)) continue
      if (name === 'resources_default') { if (resource === 'walltime') verdicts.tell(attribute, 'honoured', 'for jobs without an estimate') }
      else verdicts.honour(attribute, attributes === server && name === 'resources_min' ? 'only those of queues count' : whyNotBounded(resource, facts) || (resource !== 'walltime' && sizeOf(attribute, resource) === undefined ? 'it is no amount' : ''))
    }
  }
}

/** What the whole server has of resources, as `pbs-preempting` takes it, in whole amounts. */
export function serverAmounts(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>): Record<string, number> {
  return Object.fromEntries([...file.server].flatMap(([key, attribute]) => {
    const resource = /^resources_available\.(.+)$/.exec(key)?.[1]
    const amount = resource === undefined || whyNoAmount(resource, file, facts) !== '' ? undefined : sizeOf(attribute, resource)
    return resource === undefined || amount === undefined ? [] : [[resource, Math.floor(amount)]]
  }))
}

function whyNoAmount(resource: string, { config }: PbsFile, facts: Pick<ClusterFacts, 'resources'>): string {
  const listed = config.last('resources', 'prime')
  if (listed !== undefined && !listed.value.split(',').some((each) => each.trim() === resource)) return 'resources of the sched_config does not name it'
  return whyNotCounted(resource, facts)
}

/** Tells what becomes of amounts of the server. */
export function tellAmounts(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>, verdicts: Verdicts): void {
  const amounts = serverAmounts(file, facts)
  for (const [key, attribute] of file.server) {
    const resource = /^resources_available\.(.+)$/.exec(key)?.[1]
    if (resource !== undefined) verdicts.honour(attribute, whyNoAmount(resource, file, facts) || (resource in amounts ? '' : 'it is no amount'))
  }
  for (const setting of file.config.settings.filter(({ name }) => name === 'resources')) verdicts.tell(setting, 'approximated', 'all that jobs ask for of nodes is checked; of what the server has, what it names')
}

/** Tells of all other settings that they have no effect, and why. To be called last. */
export function tellRest(file: PbsFile, verdicts: Verdicts): void {
  for (const [setting, note] of file.unused) verdicts.tell(setting, 'ignored', note)
  for (const attributes of [file.server, file.sched, ...file.queues.map((queue) => queue.attributes)])
    for (const [key, attribute] of attributes) verdicts.tell(attribute, 'ignored', reasonFor(key.split('.')[0] as string))
  for (const setting of file.config.settings) {
    if (setting.name === 'load_balancing' && /^(false|0)$/i.test(setting.value)) verdicts.tell(setting, 'honoured')
    else verdicts.tell(setting, 'ignored', reasonFor(setting.name))
  }
}

const reasonFor = (name: string): string => why[name] ?? (/^(max_|resources_|preempt_|sched_|node_|job_|fair)/.test(name) ? notSimulated(name, attributesRead) : 'it decides nothing about which job is next')

/** Names that are read, for the nearest to one that is not. */
const attributesRead: readonly string[] = [
  'max_run', 'max_run_res', 'max_run_soft', 'max_run_res_soft', 'resources_max', 'resources_min', 'resources_default', 'resources_available', 'preempt_prio', 'preempt_queue_prio',
  'preempt_order', 'preempt_sort', 'node_group_key', 'node_group_enable', 'job_sort_formula', 'job_sort_key', 'node_sort_key', 'fair_share',
]
