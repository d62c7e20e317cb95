/** What a file that no reader accepts looks like. */
export interface Likeness {
  /** The kind of content, in words. */
  readonly what: string
  /** What to do with the file. */
  readonly wayOut: string
}

const unpack = 'Unpack it first.'
const utf16 = (order: string): Likeness => ({ what: 'UTF-16 text', wayOut: `Save it as UTF-8: iconv -f UTF-16${order} -t UTF-8 FILE > NEW.` })
const magics: readonly (readonly [magic: readonly number[], what: string, wayOut: string])[] = [
  [[0x1f, 0x8b], 'gzip data', unpack],
  [[0x50, 0x4b, 0x03, 0x04], 'a zip archive', unpack],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd data', unpack],
  [[0x42, 0x5a, 0x68], 'bzip2 data', unpack],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'xz data', unpack],
  [[0x50, 0x41, 0x52, 0x31], 'a Parquet file', 'Tables of jobs, machines and outages are read so (a trace is given with --trace, or to openTraceFile); make others text first.'],
]

/** The kind of a file that is not UTF-8 text, by its first bytes; `undefined` for text. */
export function binaryKind(head: Uint8Array): Likeness | undefined {
  for (const [magic, what, wayOut] of magics) if (magic.every((byte, i) => head[i] === byte)) return { what, wayOut }
  if (String.fromCharCode(...head.subarray(257, 262)) === 'ustar') return { what: 'a tar archive', wayOut: 'Unpack it first: tar -xf.' }
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return utf16('')
  const start = head.subarray(0, 4096)
  if (!start.includes(0)) return undefined
  return wideText(start) ?? { what: 'a binary file', wayOut: 'Is it the right file?' }
}

/**
 * As `binaryKind`, and also recognizes text whose lines end in carriage returns only, which would be read as one line. JSON may have such line ends.
 */
export function unreadableKind(head: Uint8Array): Likeness | undefined {
  return binaryKind(head) ?? (endsInReturns(head.subarray(0, 65_536))
    ? { what: 'lines that end in carriage returns alone', wayOut: "Make line feeds of them: tr '\\r' '\\n' < FILE > NEW." }
    : undefined)
}

function endsInReturns(start: Uint8Array): boolean {
  const first = start.find((byte) => byte > 32 && byte < 127)
  return first !== 123 && first !== 91 && !start.includes(10) && start.subarray(0, -1).includes(13) // { and [
}

/** Detects UTF-16 without a byte order mark: in mostly western text every other byte is 0, and no byte in between. */
function wideText(start: Uint8Array): Likeness | undefined {
  const zeros = [0, 0]
  start.forEach((byte, i) => void (byte === 0 && (zeros[i % 2] = (zeros[i % 2] as number) + 1)))
  const [even = 0, odd = 0] = zeros
  const most = start.length / 2 - 1
  if (start.length < 8 || Math.min(even, odd) > 0 || Math.max(even, odd) < 0.8 * most) return undefined
  return utf16(even > odd ? 'BE' : 'LE')
}

/** Patterns of rows of task_events (13 columns) and of job_events (8 columns). */
const googleEvents = [/^\d+,[012]?,\d+,\d+,\d*,[0-8],[^,]*,[0-3]?,\d*(,[^,]*){4}$/, /^\d+,[012]?,\d+,[0-8],[^,]*,[0-3]?,[^,]*,[^,]*$/]
/** First line of a native file. */
export const NATIVE_HEAD = '{"format":"sched-workload","version":1}'
/** Kind of a native file without its first line. */
export const NATIVE_WITHOUT_HEAD = `a list of jobs of the native format without its first line, ${NATIVE_HEAD}`
/** Kind of an event table of Google's traces, followed by the year. */
export const GOOGLE_EVENTS = 'an event table of Google\'s ClusterData'

/** Outputs of commands of PBS, LSF and Grid Engine that people may mistake for logs. */
const printed: readonly (readonly [start: RegExp, kind: string])[] = [
  [/^={20,}\s*\nqname\s/m, 'what qacct prints of Grid Engine (the file that it reads is a trace: $SGE_ROOT/$SGE_CELL/common/accounting)'],
  [/^Accounting information about jobs that are:/m, 'what bacct prints of LSF (the file that it reads is a trace: lsb.acct)'],
  [/^"JOB_(NEW|START|STATUS)" "[\d.]+" \d+ /m, 'the event log of LSF (jobs that ended are in lsb.acct)'],
  [/^JOBID\s+USER\s+STAT\s/m, 'what bjobs prints of LSF (jobs that ended are in lsb.acct)'],
  [/^Job(?: Id)?: \d+[^\s.]*\.\S+\s*$|"pbs_version"\s*:/m, 'what qstat or tracejob prints of PBS (accounting logs are traces: server_priv/accounting)'],
]

/** What a text looks like by its first lines, in words. */
export function textKind(head: string): string {
  const line = head.split('\n').find((one) => one.trim() !== '' && !/^\s*[;#]/.test(one))?.trim() ?? ''
  if (/^\s*;/.test(head) || (/^-?[\d.]+(\s+-?[\d.]+){17}$/.test(line))) return 'a job log in the Standard Workload Format (SWF)'
  const known = printed.find(([start]) => start.test(head))
  if (known !== undefined) return known[1]
  if (/^[[{]/.test(line) && /"job_state"\s*:/.test(head) && /"submit_time"\s*:/.test(head)) return 'jobs of squeue or scontrol in JSON (sacct --json prints those that have ended)'
  if (/^\s*[[{]/.test(head) && /"stages"\s*:/.test(head) && /"submit"\s*:/.test(head)) return /^\{\s*"format"\s*:/.test(line) ? 'a trace of the native format' : NATIVE_WITHOUT_HEAD
  if (/^\{.*"collection_id"\s*:/.test(line)) return `${GOOGLE_EVENTS} 2019`
  if (/(^|[\s{,"])apiVersion"?:\s/.test(head) && /(^|[\s{,"])kind"?:\s*["']?Node(List)?\b/.test(head)) return 'nodes of Kubernetes (for --nodes)'
  if (/^[[{]/.test(line)) return 'JSON'
  if (/^[ \t]*(NodeName|PartitionName|SlurmctldHost)[ \t]*=/im.test(head)) return 'a slurm.conf (for --nodes and --queues)'
  if (/^\s*<(configuration|allocations)\b/m.test(head)) return 'a queue file of YARN or Spark (for --queues)'
  if (/^\s*(<\?xml[^>]*>\s*)?<apps?>/.test(head)) return 'applications of YARN in XML (ask the resource manager for JSON: curl -H "Accept: application/json")'
  if (/^\s*Application-Id\s+Application-Name/m.test(head)) return 'what `yarn application -list` prints, which tells no times (curl RESOURCEMANAGER:8088/ws/v1/cluster/apps does)'
  if (/^\s*Node-Id\s+Node-State/m.test(head)) return 'what `yarn node -list` prints, which tells no sizes (for --nodes, curl RESOURCEMANAGER:8088/ws/v1/cluster/nodes does)'
  if (/^kind:\s*["']?(ClusterQueue|LocalQueue|ResourceFlavor|Cohort)\b/m.test(head)) return 'manifests of Kueue (for --queues)'
  if (/^kind:\s*["']?Queue\b/m.test(head) && /scheduling\.run\.ai\//.test(head)) return 'queues of KAI (for --queues)'
  if (/^kind:\s*["']?Queue\b/m.test(head) && /scheduling\.volcano\.sh\//.test(head)) return 'queues of Volcano (for --queues)'
  if (/^kind:\s*["']?(KubeSchedulerConfiguration|PriorityClass|PodDisruptionBudget)\b/m.test(head)) return 'a configuration of kube-scheduler (for --queues)'
  if (/^partitions:/m.test(head) && /^\s+(- )?queues:/m.test(head)) return 'queues of YuniKorn (for --queues)'
  if (googleEvents.some((row) => row.test(line))) return `${GOOGLE_EVENTS} 2011`
  if (/^JOBID\s+PARTITION\s/.test(line)) return 'what squeue prints, of jobs that have not ended (sacct --parsable2 prints those that have)'
  if (/^(NAMESPACE\s+)?NAME\s+(READY|COMPLETIONS|STATUS|QUEUE|COHORT|CLUSTERQUEUE|AGE)\b/.test(line))
    return 'what kubectl prints for people (-o json and -o yaml print what is read)'
  if (/^\s*JobID\s+/i.test(line) || /^-{3,}( -{3,})+$/.test(line)) return 'what sacct prints for people (--parsable2 prints a table)'
  if (/^\d+[\w.+[\]%-]*\|/.test(line) && /\|(COMPLETED|FAILED|CANCELLED|TIMEOUT|RUNNING|PENDING|OUT_OF_MEMORY)\b/.test(head))
    return 'records of sacct without their header line (leave out --noheader, or write above them what --format asked for, with | between the names)'
  if (/^jobs:\s*$/m.test(head) && /^\s+(- )?submission:\s/m.test(head)) return 'records of Slurm in YAML (sacct --json prints the same as it is read)'
  if (/^JobId=\d+ (UserId|JobName)=/.test(line)) return 'jobs as scontrol of Slurm writes them (sacct --parsable2 prints those that have ended as a table)'
  const columns = (separator: string) => line.split(separator).length
  if (columns('\t') > 1) return `a table of ${columns('\t')} tab-separated columns`
  if (columns('|') > 1) return `a table of ${columns('|')} columns with | between them`
  if (columns(',') > 1) return `a table of ${columns(',')} comma-separated columns`
  if (/^(-?[\d.]+\s+)+-?[\d.]+$/.test(line)) return `a table of ${line.split(/\s+/).length} blank-separated columns`
  return 'text without columns'
}
