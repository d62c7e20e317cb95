import { describe, expect, it } from 'vitest'
import { readQueues } from '../src/index.js'
import { messageOf } from './message-of.js'

const message = (text: string) => messageOf(() => readQueues({ file: 'f', text }))
const property = (name: string, value: string) => `<configuration>\n<property><name>yarn.scheduler.capacity.root.queues</name><value>a</value></property>\n<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>\n</configuration>`
const queue = (name: string, cpu: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: ${name} }\nspec:\n  resourceGroups:\n  - flavors: [{ name: f, resources: [{ name: cpu, nominalQuota: ${cpu} }] }]\n`

describe('a template', () => {
  it.each([
    ['Jinja in a slurm.conf', '# {{ a comment }}\nClusterName={{ site }}\nNodeName=a CPUs=2', 2, '{{ site }}'],
    ['a loop of Jinja', 'ClusterName=c\n{% for n in nodes %}\nNodeName=a\n{% endfor %}', 2, '{% for n in nodes %}'],
    ['a loop of Jinja before all else', '{% for n in nodes %}\nNodeName={{ n }}\n{% endfor %}', 1, '{% for n in nodes %}'],
    ['ERB', 'ClusterName=c\nSlurmctldHost=<%= @head %>', 2, '<%= @head %>'],
    ['variables of Terraform', 'ClusterName=c\nNodeName=n[1-${count}] CPUs=2', 2, '${count}'],
    ['FreeMarker', '<configuration>\n<!-- <#if a> -->\n<#list queues as q>\n</#list>\n</configuration>', 3, '<#list queues as q>'],
    ['a value of Jinja', property('root.a.capacity', '{{ part }}'), 3, '{{ part }}'],
    ['the name of a property', property('root.${team}.capacity', '10'), 3, '${team}'],
    ['a fair-scheduler.xml', '<allocations>\n<queue name="a"><weight>{{ w }}</weight></queue></allocations>', 2, '{{ w }}'],
    ['a chart of Helm', `{{- if .Values.kueue }}\n${queue('a', '{{ .Values.cpu }}')}{{- end }}`, 1, '{{- if .Values.kueue }}'],
    ['manifests that are YAML all the same', queue("'{{ .Values.name }}'", '4'), 1, '{{ .Values.name }}'],
    ['variables in manifests', `kind: Namespace\n---\n${queue('a', "'${cpu}'")}`, 3, '${cpu}'],
    ['variables that are no YAML', queue('a', '${cpu}'), 6, '${cpu}'],
  ])('is told in %s', (_, text, line, mark) => {
    expect(message(text)).toBe(`"f" line ${line}: is a template: ${mark} is still to be filled in. Give what the tool makes of it that fills it in, such as Ansible, Helm or Terraform.`)
  })

  it('is none where what is to be filled in is of something else, or of Hadoop', () => {
    expect(readQueues({ file: 'f', text: `kind: ConfigMap\napiVersion: v1\ndata: { alert: 'at {{ $labels.node }}', script: 'echo \${A}' }\n---\n${queue('a', '4')}` }).kind).toBe('kueue')
    expect(readQueues({ file: 'f', text: property('root.a.capacity', '100').replace('<configuration>', '<configuration><property><name>all</name><value>100</value></property>').replace('>100</value></property>\n</conf', '>${all}</value></property>\n</conf') }).kind).toBe('capacity')
  })
})

describe('a file that looks like another', () => {
  it.each([
    ['nodes as scontrol shows them', 'NodeName=a Arch=x86_64 CoresPerSocket=8 \n   CPUAlloc=3 CPUTot=8\n   OS=Linux 5 #1 SMP\n', '"f" line 1: has what scontrol show node prints, which is a cluster (--nodes FILE) and no policy. Give the slurm.conf for that, or what scontrol show config and scontrol show partition print.'],
    ['a gres.conf', 'AutoDetect=nvml\nNodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]', '"f" line 2: has lines of a gres.conf, which is not read. Give the slurm.conf, where Gres of a node says how many GPUs it has.'],
    ['a list of properties', 'yarn.scheduler.capacity.root.queues=a\nyarn.scheduler.capacity.root.a.capacity=100', '"f": is a list of properties. Write each as <property><name>...</name><value>...</value></property> inside <configuration>, as capacity-scheduler.xml has them.'],
  ])('is refused: %s', (_, text, expected) => {
    expect(message(text)).toBe(expected)
  })
})
