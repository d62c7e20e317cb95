import { describe, expect, it } from 'vitest'
import { readOutages } from '../src/index.js'

const nodes = ['n-0', 'n-1', 'n-2', 'n-3', 'n-4']
const read = (text: string) => readOutages(text, nodes, 'outages.csv')

describe('a list of outages', () => {
  it('names nodes, times and kinds, in any order of rows and columns', () => {
    expect(read('kind,to,node,from\r\ndrain,20.5,n-2,10\r\n,,n-0,3\r\n\r\nfailure,9,n-2,8\n')).toEqual([
      { node: 2, from: 10, to: 20.5, drain: true },
      { node: 0, from: 3, to: Infinity, drain: false },
      { node: 2, from: 8, to: 9, drain: false },
    ])
    expect(read('node,from,to\nn-4,0,1')).toEqual([{ node: 4, from: 0, to: 1, drain: false }])
  })

  it.each([
    ['node,from,to\nn-7,1,2\n', '"outages.csv" line 2 node: the cluster has no node "n-7". Nodes are called n-0, n-1, n-2 and so on.'],
    ['node,from,to\nn-1,,2\n', '"outages.csv" line 2 from: is empty.'],
    ['node,from,to\nn-1,2,2\n', '"outages.csv" line 2 to: found 2, which is not after 2.'],
    ['node,from,to\nn-1,-2,2\n', '"outages.csv" line 2 from: found "-2", expected a number of at least 0.'],
    ['node,from,to,kind\nn-1,1,2,crash\n', '"outages.csv" line 2 kind: found "crash", expected failure or drain.'],
    ['node,from\nn-1,1\n', '"outages.csv" line 1: column to is missing.'],
    ['node,from,to\nn-1,1\n', '"outages.csv" line 2: found 2 columns, the header has 3.'],
    ['node,from,to\n', '"outages.csv": lists no outage.'],
    ['', '"outages.csv": lists no outage.'],
  ])('is refused where it is wrong: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})
