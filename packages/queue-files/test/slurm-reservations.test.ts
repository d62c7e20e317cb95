import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues } from '../src/index.js'
import { messageOf } from './message-of.js'

const conf = 'ClusterName=c\nNodeName=n[1-4] CPUs=4\nPartitionName=all Nodes=ALL Default=YES\nPartitionName=first PriorityTier=5 Nodes=n[1-2]\nPartitionName=last PriorityJobFactor=3 Nodes=n[3-4]'
const names = ['n1', 'n2', 'n3', 'n4']
const facts = { resources: ['procs', 'nodes'], nodes: 4, heartbeat: false, nodeNames: names, nodesWith: (label: string) => (label === 'partition:first' ? ['n1', 'n2'] : label === 'partition:last' ? ['n3', 'n4'] : []) }
const read = (...beside: readonly string[]) => readQueues({ file: 'slurm.conf', text: conf }, ...beside.map((text, i) => ({ file: `beside-${i + 1}`, text })))
const made = (beside: readonly string[], more: object = {}) => queuePolicy(read(...beside), { ...facts, ...more })
const reservationsOf = (...beside: readonly string[]) => (made(beside).policy as { replan: { reservations?: unknown } }).replan.reservations
const told = (beside: readonly string[], more: object = {}) => made(beside, more).findings.filter(({ file }) => file !== 'slurm.conf').map(({ verdict, line, setting, value, note }) => [verdict, line, setting, value, note])
/** As scontrol prints one in several lines. */
const shown = (name: string, flags: string, rest = '', nodes = 'n[1-2,9]', from = '2026-03-06T08:00:00', to = '2026-03-06T10:00:00') =>
  `ReservationName=${name} StartTime=${from} EndTime=${to} Duration=02:00:00\n   Nodes=${nodes} NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) Flags=${flags}\n   TRES=cpu=8\n   ${rest}Licenses=(null) State=INACTIVE\n\n`
const from = '2026-03-06T08:00:00'
const to = '2026-03-06T10:00:00'

describe('reservations beside a slurm.conf', () => {
  it('are those that scontrol shows, for their users, their accounts and the accounts inside these', () => {
    const dump = "Cluster - 'c'\nParent - 'root'\nAccount - 'science'\nParent - 'science'\nAccount - 'physics'\n"
    expect(reservationsOf(shown('course', 'SPEC_NODES', 'Users=ann,-bob Groups=(null) Accounts=science ') + shown('fix', 'MAINT,IGNORE_JOBS,SPEC_NODES', 'Users=root '), dump)).toEqual([
      { name: 'course', from, to, nodes: ['n1', 'n2'], users: ['ann', '-bob'], accounts: ['science', 'physics'] }, { name: 'fix', from, to, nodes: ['n1', 'n2'], users: ['root'], maint: true },
    ])
  })

  it('are for their QOS and partitions, too', () => {
    const rows = 'Users=(null) Groups=(null) Accounts=(null) QOS=own,high AllowedPartitions=-first '
    expect(reservationsOf(shown('r', 'SPEC_NODES', rows) + shown('all', 'SPEC_NODES', 'QOS=(null) AllowedPartitions=(null) '))).toEqual([
      { name: 'r', from, to, nodes: ['n1', 'n2'], qos: ['own', 'high'], queues: ['-first'] }, { name: 'all', from, to, nodes: ['n1', 'n2'] },
    ])
  })

  it('come again by the hour, day or week, or on days of the week (6 March 2026 is a Friday)', () => {
    const of = (flags: string) => (reservationsOf(shown('r', flags)) as { from: string; to: string; every?: number }[]).map(({ from, to, every }) => [from.slice(5, 13), to.slice(5, 13), every])
    expect(of('HOURLY')).toEqual([['03-06T08', '03-06T10', 3600]])
    expect(of('DAILY')).toEqual([['03-06T08', '03-06T10', 86_400]])
    expect(of('WEEKLY')).toEqual([['03-06T08', '03-06T10', 604_800]])
    expect(of('WEEKDAY').map(([begin]) => begin)).toEqual(['03-06T08', '03-09T08', '03-10T08', '03-11T08', '03-12T08'])
    expect(of('WEEKEND')).toEqual([['03-07T08', '03-07T10', 604_800], ['03-08T08', '03-08T10', 604_800]])
  })

  it('are those of the database, too, in which users are not told', () => {
    const table = 'Cluster|Name|TRES|Start|End|UnusedWall|NodeNames|Flags|Associations\nc|course|cpu=8|2026-03-06T08:00:00|2026-03-06T10:00:00|0.0|n[1-2]|FLEX,SPEC_NODES|7\n'
    expect(reservationsOf(table)).toEqual([{ name: 'course', from, to, nodes: ['n1', 'n2'], flex: true }])
  })

  it('are told of', () => {
    expect(told([shown('a', 'SPEC_NODES') + shown('b', 'MAGNETIC,TIME_FLOAT') + shown('c', 'MAGNETIC,REPLACE', 'Groups=staff ') + shown('d', 'ANY_NODES', '', '(null)') + shown('e', 'DAILY', '', 'n9')])).toEqual([
      ['honoured', 1, 'reservation', 'a', `${from} to ${to}`],
      ['ignored', 6, 'reservation', 'b', 'a time that moves on (TIME_FLOAT) is not simulated'],
      ['approximated', 11, 'reservation', 'c', `${from} to ${to}; MAGNETIC is not simulated; REPLACE is not simulated; groups are not known, so anybody may use it`],
      ['ignored', 16, 'reservation', 'd', 'it has no nodes of its own'],
      ['ignored', 21, 'reservation', 'e', 'the cluster has none of its nodes'],
    ])
    expect(told([shown('a', 'SPEC_NODES')], { nodes: 1, nodeNames: ['all'] })).toEqual([['ignored', 1, 'reservation', 'a', 'there is one node, of which amounts are reserved: give the nodes of this file (--nodes)']])
    expect(messageOf(() => read('ReservationName=r StartTime=soon EndTime=2026-03-06T10:00:00\n'))).toBe('"beside-1" line 1 starttime: reservation "r" has "soon", expected a time such as 2026-03-01T08:00:00. Give what it prints, as it is.')
  })
})
