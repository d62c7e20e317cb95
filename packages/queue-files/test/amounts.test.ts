import { describe, expect, it } from 'vitest'
import { bracketedAmounts, clusterName, fairAmounts } from '@sched/queue-files'

const at = { file: 'f.xml', line: 7, field: 'maxResources' }

describe('amounts of queue files', () => {
  it.each([
    ['10000 mb, 4 vcores', { byName: { 'memory-mb': 10000, vcores: 4 }, isOldStyle: true }],
    ['90000 mb,0vcores', { byName: { 'memory-mb': 90000, vcores: 0 }, isOldStyle: true }],
    ['2 vcores, 5120 mb', { byName: { 'memory-mb': 5120, vcores: 2 }, isOldStyle: true }],
    ['5120.9 mb, 2.35 vcores', { byName: { 'memory-mb': 5120, vcores: 2 }, isOldStyle: true }], // Hadoop cuts fractions off
    ['5120. mb, 2. vcores', { byName: { 'memory-mb': 5120, vcores: 2 }, isOldStyle: true }], // this and the next: as TestFairSchedulerConfiguration of Hadoop 3
    ['  5120mb   mb, 2    vCores', { byName: { 'memory-mb': 5120, vcores: 2 }, isOldStyle: true }],
    ['  50.  %  Memory,  30  %  CpU  ', { byName: { 'memory-mb': '50%', vcores: '30%' } }],
    ['10.9%memory,50.6%cpu', { byName: { 'memory-mb': '10.9%', vcores: '50.6%' } }],
    [' vcores = 75 % , memory-mb = 40 % , disk = 0 %', { byName: { vcores: '75%', 'memory-mb': '40%', disk: '0%' } }],
    ['5120 mb 2 vcores', { byName: { 'memory-mb': 5120, vcores: 2 }, isOldStyle: true }],
    ['50%', { byName: {}, all: 50 }],
    ['33.3 %', { byName: {}, all: 33.3 }],
    ['50% memory, 30% cpu', { byName: { 'memory-mb': '50%', vcores: '30%' } }],
    ['vcores=4, memory-mb=1024', { byName: { vcores: 4, 'memory-mb': 1024 } }],
    [' vcores = 30% , memory-mb = 50%', { byName: { vcores: '30%', 'memory-mb': '50%' } }],
    ['memory-mb=1024, vcores=2, yarn.io/gpu=3', { byName: { 'memory-mb': 1024, vcores: 2, 'yarn.io/gpu': 3 } }],
  ])('%s', (text, expected) => {
    expect(fairAmounts(text, at)).toEqual(expected)
  })

  it.each([
    ['1024', '"1024" has no amount of mb.'],
    ['1024 mb', '"1024 mb" has no amount of vcores.'],
    ['-5 mb, 2 vcores', '"-5 mb, 2 vcores" has a negative amount.'],
    ['memory-mb=-1', '"memory-mb=-1" has a negative amount.'],
    ['memory-mb=1, vcores', '"memory-mb=1, vcores" has "vcores", which is no amount of a resource.'],
    ['memory-mb=1, memory-mb=2', '"memory-mb=1, memory-mb=2" names memory-mb twice.'],
    ['memory-mb=10%, vcores=2', '"memory-mb=10%, vcores=2" mixes percentages and amounts.'],
    ['50% cpu', '"50% cpu" has no percentage of memory.'],
    ['1o24vc0res', '"1o24vc0res" has no amount of mb.'],
    ['95%, 50% memory', '"95%, 50% memory" has no percentage of cpu.'],
    ['95A% cpu, 50% memory', '"95A% cpu, 50% memory" has no percentage of cpu.'],
    ['-50% cpu, 1024 mb', '"-50% cpu, 1024 mb" has no percentage of memory.'],
    ['-20% memory, 10% cpu', '"-20% memory, 10% cpu" has a negative percentage.'],
    ['  5120.3 mb, -2.35 vcores  ', '"  5120.3 mb, -2.35 vcores  " has a negative amount.'],
    ['vcores=2,memory-mb=5120,disk=-4', '"vcores=2,memory-mb=5120,disk=-4" has a negative amount.'],
    ['-3%', '"-3%" has a negative percentage.'],
    ['1024 mb, 2 4 vcores', '"1024 mb, 2 4 vcores" has more than one number in "2 4 vcores".'], // this and the next: testDuplicateVcoresDefinitionAbsolute and the like of Hadoop 3
    ['2048 1024 mb, 2 vcores', '"2048 1024 mb, 2 vcores" has more than one number in "2048 1024 mb".'],
    ['50% memory, 50% 100%cpu', '"50% memory, 50% 100%cpu" has more than one number in "50% 100%cpu".'],
    ['50% 80% memory, 100%cpu', '"50% 80% memory, 100%cpu" has more than one number in "50% 80% memory".'],
    ['2 vcores 5120 mb 555 GB', '"2 vcores 5120 mb 555 GB" has more than one number in "2 vcores 5120 mb 555 GB".'],
  ])('%s is refused with its place', (text, fact) => {
    expect(() => fairAmounts(text, at)).toThrow(`"f.xml" line 7 maxResources: ${fact} Write "X mb, Y vcores"`)
  })

  it('reads the brackets of the capacity scheduler, memory in any unit as MiB', () => {
    expect(bracketedAmounts('[memory=10240,vcores=12]', at)).toEqual({ 'memory-mb': 10240, vcores: 12 })
    expect(bracketedAmounts('[memory=10Gi, vcores=12, yarn.io/gpu=2]', at)).toEqual({ 'memory-mb': 10240, vcores: 12, 'yarn.io/gpu': 2 })
    expect(bracketedAmounts('40', at)).toBeUndefined()
    expect(() => bracketedAmounts('[memory=x]', at)).toThrow('"f.xml" line 7 maxResources: "[memory=x]" has "memory=x", which is no amount of a resource.')
  })

  it('finds a resource under the name that the cluster gives it', () => {
    expect(['memory-mb', 'vcores', 'yarn.io/gpu', 'disk'].map((name) => clusterName(name, ['cpu', 'mem', 'gpu', 'disk']))).toEqual(['mem', 'cpu', 'gpu', 'disk'])
    expect(clusterName('vcores', ['map', 'reduce'])).toBeUndefined()
  })
})
