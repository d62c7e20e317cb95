import { defineFormat, SchedError, suggest, type Registry } from '@sched/core'
import { native } from '../native/format.js'
import { jobTableFormat } from '../job-table/format.js'
import { dependencyColumn, guess } from '../job-table/guess.js'
import { kubernetesFormat } from '../kubernetes/pods.js'
import { jobListFormat } from '../omega/job-list.js'
import { batsimFormat } from '../batsim/workload.js'
import { openbFormat } from '../openb/pods.js'
import { batchTask2018Format } from '../alibaba/batch-tasks-2018.js'
import { batchTaskFormat } from '../alibaba/batch-tasks.js'
import { paiFormat } from '../alibaba/pai-tasks.js'
import { lsfFormat } from '../lsf/acct.js'
import { pbsFormat } from '../pbs/accounting.js'
import { phillyFormat } from '../philly/log.js'
import { phillyTableFormat } from '../philly/table.js'
import { condorFormat } from '../condor/history.js'
import { oarFormat } from '../oar/oarstat.js'
import { sgeFormat } from '../sge/accounting.js'
import { eagleFormat } from '../slurm/eagle.js'
import { gwfFormat } from '../slurm/gwf.js'
import { sparrowFormat } from '../sparrow/jobs.js'
import { sacctJsonFormat } from '../slurm/sacct-json.js'
import { jobcompFormat } from '../slurm/jobcomp.js'
import { sacctFormat } from '../slurm/sacct.js'
import { swfFormat } from '../swf/format.js'
import { swimFormat } from '../swim/format.js'
import { swimHistoryFormat } from '../swim/history.js'
import { sparkFormat } from '../spark/event-log.js'
import { yarnAppsFormat } from '../yarn/applications.js'
import { isAvroBinary } from '../yarn/avro.js'
import { jobHistoryFormat } from '../yarn/job-history.js'
import { rumenFormat } from '../yarn/rumen.js'
import { slsFormat } from '../yarn/sls.js'
import { synthFormat } from '../yarn/synth.js'
import { opendcFormat } from '../workflow/opendc.js'
import { wfFormat } from '../workflow/wf-format.js'
import { wtaFormat } from '../workflow/wta.js'
import { checkedFormat } from './checked-format.js'
import type { KnownFormat, TraceFormat } from './format.js'
import { machineKind } from '../table/machine-tables.js'
import { GOOGLE_EVENTS, NATIVE_HEAD, NATIVE_WITHOUT_HEAD, textKind, unreadableKind } from './looks-like.js'

/** All formats, in the order in which detection tries them. */
export const traceFormats: readonly TraceFormat[] = [
  native, sparrowFormat, swfFormat, sacctFormat, sacctJsonFormat, jobcompFormat, eagleFormat, gwfFormat, pbsFormat, lsfFormat, sgeFormat, condorFormat, oarFormat, kubernetesFormat, openbFormat, batsimFormat, yarnAppsFormat, slsFormat, synthFormat, rumenFormat, wfFormat, jobHistoryFormat, sparkFormat, phillyFormat, phillyTableFormat, swimFormat, swimHistoryFormat, jobListFormat,
  batchTaskFormat, batchTask2018Format, paiFormat, wtaFormat, opendcFormat, jobTableFormat,
]

/** Number of bytes at the start of a file that detection reads. */
export const headBytes = 65_536

/** Adds all built-in formats. */
export function registerFormats(registry: Registry): void {
  for (const format of traceFormats) registry.add(defineFormat(format))
}

/** The formats of a registry in the order in which detection tries them: those of plug-ins come first, whose jobs are checked one by one. */
export function formatsIn(registry: Registry): KnownFormat[] {
  const own = new Set(traceFormats.map(({ name }) => name))
  return [...registry.added('format').filter(({ name }) => !own.has(name)).map(checkedFormat), ...traceFormats]
}

/**
 * The format of a file among those that are known, detected from the first bytes of its unpacked content. Throws `BAD_INPUT` that says what the file
 * looks like instead.
 */
export function detectFormatOf(head: Uint8Array, file?: string, formats: readonly KnownFormat[] = traceFormats): KnownFormat {
  if (head.length === 0) throw new SchedError('BAD_INPUT', 'is empty.', { file }, 'A trace has at least one job.')
  const history = isAvroBinary(latin1(head.subarray(0, 16)))
  const binary = history ? undefined : unreadableKind(head)
  if (binary !== undefined) throw new SchedError('BAD_INPUT', `looks like ${binary.what}, not like a trace.`, { file }, binary.wayOut)
  const text = latin1(head.subarray(0, headBytes)).replace(/^ï»¿/, '') // removes a byte order mark
  const found = formats.find((format) => format.detect?.(text))
  if (found !== undefined) return found
  const [fact, wayOut] = notATrace(text, formats)
  throw new SchedError('BAD_INPUT', fact, { file }, wayOut)
}

/** What a text that no format accepts looks like, and what to do with it. */
function notATrace(text: string, formats: readonly KnownFormat[]): readonly [fact: string, wayOut: string] {
  const machines = machineKind(text)
  if (machines !== undefined) return [`is a list of machines (${machines}), not a trace.`, 'It is for the cluster: `--nodes FILE`, or `cluster: FILE` in an experiment.']
  if (/^workload:/m.test(text) && /^(policy|policies|cluster|queues|matrix):/m.test(text)) return ['is an experiment, not a trace.', 'Run it with `sched compare FILE`.']
  if (/^nodes:/m.test(text) && /\b(slots|resources|devices)\s*:/.test(text)) return ['describes a cluster, and no jobs.', 'It is for the cluster: `--cluster FILE`, or `cluster: FILE` in an experiment.']
  const kind = textKind(text)
  if (kind.startsWith(GOOGLE_EVENTS))
    return [`is ${kind}, one part of several.`, 'Name the parts in an experiment: `workload: { google: { taskEvents: [...], machines: FILE } }`.']
  if (kind === NATIVE_WITHOUT_HEAD) {
    const inLines = /^\s*\[/.test(text) ? "jq -c '.[]'" : 'jq -c .'
    return [`is ${kind}.`, `Put ${NATIVE_HEAD} before the jobs, which stand on a line each: (echo '${NATIVE_HEAD}'; ${inLines} FILE) > NEW.jsonl`]
  }
  return [`looks like ${kind}, which is no trace format known here.`, howToMap(text, formats)]
}

/** How to read a text as a table of jobs, as far as its columns tell. */
function howToMap(text: string, formats: readonly KnownFormat[]): string {
  const { mapping, known, lacks } = guess(text)
  if (mapping === undefined && known === undefined)
    return `Known: ${formats.map(({ name }) => name).join(', ')}. Any table of jobs is read with a mapping of its columns (format job-table).`
  const any = 'Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table).'
  if (mapping === undefined) return `${any} It may be ${known}, with a column for ${lacks}.`
  const lost = dependencyColumn(text)
  const without = lost === undefined ? '' : ` Its column ${lost} has no place in it: no job waits for another then, which \`after\` says in the native format (JSON Lines).`
  return `${any} It may be: ${mapping}.${without}`
}

/** A built-in format by name. Throws `UNKNOWN_NAME`. */
export const traceFormat = (name: string): TraceFormat => formatNamed(name, traceFormats)

/** A format by name, of those that are known. Throws `UNKNOWN_NAME`. */
export function formatNamed<F extends KnownFormat>(name: string, formats: readonly F[]): F {
  const found = formats.find((format) => format.name === name)
  if (found === undefined)
    throw new SchedError('UNKNOWN_NAME', `no trace format is called "${name}".`, {}, `${formatsOf(name, formats)}${suggest(name, formats.map((format) => format.name))}`)
  return found
}

/** The formats whose summaries have the word: those of a system that is named instead, such as `slurm`. */
function formatsOf(word: string, formats: readonly KnownFormat[]): string {
  const named = formats.filter(({ summary }) => summary.toLowerCase().split(/[^a-z0-9]+/).includes(word.toLowerCase())).map(({ name }) => name)
  return named.length === 0 ? '' : `Of ${word}: ${named.join(', ')}. `
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}
