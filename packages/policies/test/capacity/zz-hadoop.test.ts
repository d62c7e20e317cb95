import { idealAllocation } from '@sched/policies'
import { expect, it } from 'vitest'
/** [abs, max, used, pending, reserved, subqueues], per-queue expected toObtain */
const take = (rows: number[][], off: number[] = []) => {
  const [abs, most, used, pending, reserved, subs] = rows as [number[], number[], number[], number[], number[], number[]]
  const parent: number[] = [-1]
  const open: { id: number; left: number }[] = [{ id: 0, left: subs[0]! }]
  for (let i = 1; i < abs.length; i++) {
    while (open.at(-1)!.left === 0) open.pop()
    parent[i] = open.at(-1)!.id
    open.at(-1)!.left--
    if (subs[i]! > 0) open.push({ id: i, left: subs[i]! })
  }
  const isProtected = abs.map((_, i) => { for (let q = i; q >= 0; q = parent[q]!) if (off.includes(q)) return 1; return 0 })
  const leafPending = pending.map((p, i) => (subs[i]! > 0 ? 0 : p))
  return [...idealAllocation({ count: abs.length, width: 1, total: [abs[0]!], parent, guaranteed: abs, most, used, pending: leafPending, reserved: reserved.map((r, i) => (subs[i]! > 0 ? 0 : r)), isProtected, priority: abs.map(() => 0) }, { totalPreemptionPerRound: 1, maxIgnoredOverCapacity: 0, naturalTerminationFactor: 1 }).toObtain]
}
const z = (n: number) => Array<number>(n).fill(0)
it('hadoop', () => {
  console.log('proportional A10', take([[100, 10, 40, 20, 30], [100, 100, 100, 100, 100], [100, 30, 60, 10, 0], [45, 20, 5, 20, 0], z(5), [4, 0, 0, 0, 0]]))
  console.log('maxcap none', take([[100, 40, 40, 20], [100, 100, 45, 100], [100, 55, 45, 0], [20, 10, 10, 0], z(4), [3, 0, 0, 0]]))
  console.log('cycle C10', take([[100, 40, 40, 20], [100, 100, 100, 100], [100, 0, 60, 40], [10, 10, 0, 0], z(4), [3, 0, 0, 0]]))
  const dis = [[100, 55, 25, 20], [100, 100, 100, 100], [100, 0, 54, 46], [10, 10, 0, 0], z(4), [3, 0, 0, 0]]
  console.log('dis C10', take(dis, [2]), 'B4 C6', take(dis))
  const h = [[200, 100, 50, 50, 100, 10, 90], Array(7).fill(200), [200, 110, 60, 50, 90, 90, 0], [10, 0, 0, 0, 10, 0, 10], z(7), [2, 2, 0, 0, 2, 0, 0]]
  console.log('hier B10', take(h), 'E10', take(h, [2]))
  const broad = [[1000, 350, 150, 200, 400, 200, 200, 250, 100, 150], Array(10).fill(1000), [1000, 400, 200, 200, 400, 250, 150, 200, 150, 50], [50, 0, 0, 0, 50, 0, 50, 0, 0, 0], z(10), [3, 2, 0, 0, 2, 0, 0, 2, 0, 0]]
  console.log('broad B27 E23', take(broad), 'E50', take(broad, [2]), 'none', take(broad, [2, 5]))
  const inh = [[1000, 500, 200, 200, 100, 500, 200, 200, 100], Array(9).fill(1000), [1000, 700, 0, 350, 350, 300, 0, 200, 100], [200, 0, 0, 0, 0, 200, 200, 0, 0], z(9), [2, 3, 0, 0, 0, 3, 0, 0, 0]]
  console.log('inherit C17 D183', take(inh), 'none', take(inh, [1]))
  console.log('untouch D100', take([[2000, 1000, 800, 100, 100, 1000, 500, 300, 200], Array(9).fill(2000), [2000, 1300, 300, 800, 200, 700, 500, 0, 200], [300, 0, 0, 0, 0, 300, 0, 300, 0], z(9), [2, 3, 0, 0, 0, 3, 0, 0, 0]], [3]))
  console.log('reserved B10', take([h[0]!, h[1]!, h[2]!, h[3]!, [40, 25, 15, 10, 15, 15, 0], h[5]!]))
  console.log('zeroguar none', take([[200, 100, 0, 99, 100, 10, 90], Array(7).fill(200), [170, 80, 60, 20, 90, 90, 0], [10, 0, 0, 0, 10, 0, 10], z(7), [2, 2, 0, 0, 2, 0, 0]]))
  console.log('zeroguarover none', take([[200, 100, 0, 100, 0, 100, 100], Array(7).fill(200), [170, 170, 60, 20, 90, 0, 0], [85, 50, 30, 10, 10, 20, 20], z(7), [2, 3, 0, 0, 0, 1, 0]]))
  console.log('large B9 H6', take([[400, 200, 60, 140, 100, 70, 30, 100, 10, 90], Array(10).fill(400), [400, 210, 70, 140, 100, 50, 50, 90, 90, 0], [15, 0, 0, 0, 0, 0, 0, 0, 0, 15], z(10), [3, 2, 0, 0, 2, 0, 0, 2, 0, 0]]))
  expect(1).toBe(1)
})
