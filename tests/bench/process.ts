/** CPU time and memory of a server process, read from Linux. More reliable than wall-clock times on a shared machine. */
import { globSync, readFileSync } from 'node:fs'

/** The workerd process that this process started. */
export function workerdOf(parentPid: number): number {
  for (const file of globSync('/proc/[0-9]*/stat')) {
    const [, pid, name, parent] = /^(\d+) \((.*)\) . (\d+)/.exec(read(file)) ?? []
    if (name === 'workerd' && Number(parent) === parentPid) return Number(pid)
  }
  throw new Error(`process ${parentPid} has no workerd`)
}

/** Of all its threads, in milliseconds. */
export function cpuMs(pid: number): number {
  let ns = 0
  for (const file of globSync(`/proc/${pid}/task/*/schedstat`)) ns += Number(read(file).split(' ')[0])
  return ns / 1e6
}

/** Private memory (heaps and stacks) in kilobytes. Excludes the program, whose pages are shared with every workerd of the machine. */
export const memoryKb = (pid: number): number => Number(/^Pss_Anon:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1])

/** A process or thread may end while it is read. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
