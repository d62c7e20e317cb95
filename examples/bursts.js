// A workload generator, a metric and a reader of traces in plain JavaScript. As a package, export what defineGenerator(), defineMetric() and
// defineFormat() of @sched/core return; these may have options.
const bursts = {
  kind: 'generator',
  name: 'bursts',
  summary: 'ten jobs every five minutes, of one to eight tasks',

  create(_options, { seed }) {
    const job = (i) => ({
      id: `job-${i}`,
      submit: 300 * Math.floor(i / 10),
      user: `user-${i % 3}`,
      stages: [{ name: 'work', tasks: 1 + ((7 * i + seed) % 8), demand: { map: 1 }, duration: 120 }],
    })
    // Whoever reads the jobs opens the workload, and gets the same ones each time.
    return {
      name: 'bursts',
      jobs: 60,
      chained: false,
      cluster: { nodes: 5, slots: { map: 4 } }, // where the jobs run unless a cluster is described
      open() {
        let next = 0
        return { next: () => (next < 60 ? job(next++) : undefined) }
      },
    }
  },
}

const queue = {
  kind: 'metric',
  name: 'waiting',
  summary: 'most jobs that waited at once',

  create() {
    const waiting = new Set()
    let most = 0
    return {
      onSubmit(job) {
        waiting.add(job)
        most = Math.max(most, waiting.size)
      },
      onTaskStart: (_task, job) => void waiting.delete(job),
      onJobEnd: (job) => void waiting.delete(job),
      figures: () => [{ name: 'jobs', title: 'most jobs waiting', value: most }],
    }
  },
}

const log = {
  kind: 'format',
  name: 'user-log',
  summary: 'one job a line: its user, submission, tasks and seconds, with colons between them',
  detect: (head) => /^[a-z]+:\d+:\d+:\d+$/m.test(head),

  create(_options, place) {
    const text = new TextDecoder()
    return {
      line(bytes, from, to) {
        const [user, submit, tasks, duration] = text.decode(bytes.subarray(from, to)).split(':')
        const stage = { name: 'work', tasks: Number(tasks), demand: { map: 1 }, duration: Number(duration) }
        return { id: `${user}-${place.line}`, user, submit: Number(submit), stages: [stage] }
      },
    }
  },
}

export default [bursts, queue, log]
