import { describe, expect, it } from 'vitest'
import { isShownNodes, shownNodes } from '../src/index.js'
import { messageOf } from './message-of.js'

/** What `scontrol show node` prints of a node, as Slurm 22.05 and later do, changed in some of its lines. */
const shown = (name: string, { cpus = 'CPUAlloc=0 CPUEfctv=30 CPUTot=32', state = 'IDLE', gres = '(null)', partitions = 'main', memory = 'RealMemory=64000' } = {}) => `NodeName=${name} Arch=x86_64 CoresPerSocket=16
   ${cpus} CPULoad=0.05
   AvailableFeatures=fast,ib
   ActiveFeatures=fast
   Gres=${gres}
   NodeAddr=${name} NodeHostName=${name} Version=22.05.8
   OS=Linux 4.18.0 #1 SMP Tue Aug 2 16:19:42 UTC 2022
   ${memory} AllocMem=0 FreeMem=100 Sockets=2 Boards=1
   CoreSpecCount=1 MemSpecLimit=1000
   State=${state} ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=${partitions}
   CfgTRES=cpu=32,mem=64000M,billing=32
   AllocTRES=
   Reason=State=DOWN until tomorrow
`
const nodes = (text: string) => shownNodes({ file: 'nodes.txt', text }).nodes

describe('what scontrol show node prints', () => {
  it('is a cluster: what jobs may have of each node, with features and the partitions that not all are in', () => {
    const text = [shown('a1'), shown('a2'), shown('g1', { gres: 'gpu:a100:4(S:0-1)', partitions: 'main,gpu' }), shown('x', { state: 'IDLE+DRAIN' }), shown('y', { state: 'DOWN*' }), shown('z', { state: 'MIXED+CLOUD+POWERED_DOWN' })].join('\n')
    const plain = { procs: 30, mem: 63_000, nodes: 1 }
    expect(nodes(text)).toEqual([
      { names: ['a1', 'a2'], count: 2, resources: plain, labels: { fast: 'true' } },
      { names: ['g1'], count: 1, resources: { ...plain, gpus: 4 }, labels: { fast: 'true', 'partition:gpu': 'true', model: 'a100' } },
      { names: ['z'], count: 1, resources: plain, labels: { fast: 'true' } },
    ])
    expect(nodes(text.replaceAll('\n', '\r\n'))).toEqual(nodes(text))
    expect(nodes(text.split('\n\n').map((record) => record.trim().replaceAll(/\n\s*/g, ' ')).join('\n'))).toEqual(nodes(text)) // scontrol -o
  })

  it('keeps cores for the system where older versions say how many', () => {
    const old = shown('a', { cpus: 'CPUAlloc=0 CPUTot=32' })
    expect(nodes(old)[0]!.resources['procs']).toBe(31)
    expect(nodes(old.replace('ThreadsPerCore=1', 'ThreadsPerCore=2'))[0]!.resources['procs']).toBe(31)
    expect(nodes(old.replace('ThreadsPerCore=1', 'ThreadsPerCore=2').replace('CPUTot=32', 'CPUTot=64'))[0]!.resources['procs']).toBe(62)
  })

  it('may be JSON, of older versions, too', () => {
    const node = { name: 'g1', cpus: 32, effective_cpus: 30, real_memory: 64_000, specialized_memory: 1000, gres: 'gpu:4,lustre:1', active_features: ['fast'], partitions: ['main'], state: ['IDLE'] }
    const old = { name: 'o1', cpus: 32, real_memory: 64_000, gres: '', features: 'fast,ib', partitions: ['main'], state: 'idle', state_flags: [] }
    expect(nodes(JSON.stringify({ nodes: [node, old, { ...node, name: 'x', state: ['IDLE', 'DRAIN'] }, { ...old, name: 'y', state_flags: ['DRAIN'] }] }))).toEqual([
      { names: ['g1'], count: 1, resources: { procs: 30, mem: 63_000, gpus: 4, nodes: 1 }, labels: { fast: 'true' } },
      { names: ['o1'], count: 1, resources: { procs: 32, mem: 64_000, nodes: 1 }, labels: { fast: 'true', ib: 'true' } },
    ])
  })

  it.each([
    [`${shown('a')}${shown('a')}`, '"nodes.txt" line 15: node "a" was listed before. Give every node once.'],
    [shown('a', { state: 'DOWN' }), '"nodes.txt": lists no node that is up. Is it the right file, and whole? scontrol show node'],
    [shown('a', { memory: 'RealMemory=much' }), '"nodes.txt" line 1 RealMemory: found "much", expected a whole number. Give what scontrol prints, as it is.'],
    [`${shown('a')}NodeName=b Arch=x86_64\n`, '"nodes.txt" line 15 CPUTot: is missing. Was the file cut short? Copy it again.'],
    [`${shown('a')}slurm_load error\n`, '"nodes.txt" line 15: found "slurm_load error", expected a line of scontrol show node. Give what it prints, as it is.'],
    ['{ "nodes": [{ "name": "a", "cpus": -1, "real_memory": 1 }] }', '"nodes.txt" nodes[0].cpus: found -1, expected a whole number. Give what scontrol prints, as it is.'],
    ['{ "nodes": [{ "name": "a", "cpus": 1, "real_memory": 1', '"nodes.txt": is not JSON'],
  ])('is answered where it is wrong (%#)', (text, message) => {
    expect(isShownNodes(text)).toBe(true)
    expect(messageOf(() => nodes(text))).toContain(message)
  })
})
