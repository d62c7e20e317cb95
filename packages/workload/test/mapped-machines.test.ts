import { describe, expect, it } from 'vitest'
import { machineMapping, mappedMachines, type MachineTable } from '../src/index.js'
import { messageOf } from './reading.js'

const table = 'host,kind,rack,row,cores,ram,gpus,model\nn1,up,r1,a,4.5,64Gi,2,T4\nn2,up,r1,a,4.5,64Gi,2,T4\nn3,down,r1,a,4.5,64Gi,2,T4\nn4,up,r2,a,16,128Gi,,\n'
const mapping = {
  table: 'nodes.csv', name: 'host', racks: ['rack', 'row'], where: { kind: 'up' }, labels: { model: 'model' },
  resources: { cpu: { column: 'cores', scale: 1000 }, mem: { column: 'ram', scale: 1 / 2 ** 20 } }, devices: { gpu: 'gpus' },
}
const read = (text: string, change: object = {}): MachineTable => mappedMachines(text, machineMapping.parse({ ...mapping, ...change }), 'nodes.csv')

describe('a table of machines with a mapping', () => {
  const nodes = [
    { names: ['n1', 'n2'], count: 2, racks: ['r1', 'a'], resources: { cpu: 4500, mem: 65_536 }, devices: { gpu: { count: 2, milli: 1000 } }, labels: { model: 'T4' } },
    { names: ['n4'], count: 1, racks: ['r2', 'a'], resources: { cpu: 16_000, mem: 131_072 } },
  ]

  it('gives groups of alike machines with resources, devices, racks and labels, of the rows that are asked for', () => {
    expect(read(table)).toEqual({ name: 'machines', nodes })
  })

  it('reads other separators, tables without a header, and JSON Lines alike', () => {
    const [header = '', ...rows] = table.trim().split('\n')
    expect(read(table.replaceAll(',', ';')).nodes).toEqual(nodes)
    expect(read(rows.join('\n'), { names: header.split(',') }).nodes).toEqual(nodes)
    const objects = rows.map((row) => JSON.stringify(Object.fromEntries(row.split(',').map((field, i) => [header.split(',')[i], field]))))
    expect(read(objects.join('\n')).nodes).toEqual(nodes)
  })

  it('knows rows of several machines, amounts in a list, and devices of another size', () => {
    const found = read('name|n|tres\nthin|2|cpu=8,mem=4G\nfat|1|cpu=16,mem=8G,gres/gpu=1\n', {
      name: undefined, count: 'n', racks: undefined, where: undefined, labels: undefined, resources: { procs: { column: 'tres', key: 'cpu' }, gpus: { column: 'tres', key: 'gres/gpu' } }, devices: { slice: { column: 'n', milli: 7 } },
    })
    expect(found.nodes).toEqual([
      { names: ['thin-0', 'thin-1'], count: 2, resources: { procs: 8 }, devices: { slice: { count: 2, milli: 7 } } },
      { names: ['fat-0'], count: 1, resources: { procs: 16, gpus: 1 }, devices: { slice: { count: 1, milli: 7 } } },
    ])
  })

  it.each<[string, string, object, string]>([
    ['a column that is not there', table, { resources: { cpu: 'core' } }, '"nodes.csv" line 1: the table has no column "core", which resources.cpu names. Did you mean "cores"?'],
    ['a label of a column that is not there', table, { labels: { model: 'gpu' } }, 'the table has no column "gpu", which labels.model names.'],
    ['a number that is none', table.replace('n2,up,r1,a,4.5', 'n2,up,r1,a,x'), {}, '"nodes.csv" line 3 cores: found "x", expected a number of at least 0. Correct the line.'],
    ['devices in parts', table.replace('64Gi,2,T4', '64Gi,1.5,T4'), {}, '"nodes.csv" line 2 gpus: found "1.5", expected a whole number.'],
    ['a machine without a name', table.replace('n2', ''), {}, '"nodes.csv" line 3 host: is empty.'],
    ['a machine without a rack', table.replace('n2,up,r1', 'n2,up,'), {}, '"nodes.csv" line 3 rack: is empty.'],
    ['a name that comes twice', table.replace('n2', 'n1'), {}, '"nodes.csv" line 3 host: machine "n1" was listed before. Give every machine once.'],
    ['a machine that has nothing', table.replace('n4,up,r2,a,16,128Gi', 'n4,up,r2,a,,'), {}, '"nodes.csv" line 5: machine "n4" has nothing that resources or devices name.'],
    ['no row', table, { where: { kind: 'none' } }, '"nodes.csv": lists no machine.'],
  ])('tells %s', (_, text, change, message) => {
    expect(messageOf(() => read(text, change))).toContain(message)
  })
})
