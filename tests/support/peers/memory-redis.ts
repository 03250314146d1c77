/** The Redis commands that the product uses, for machines without a redis-server. Its only script counts within a window. */
import type { RunCommand } from './redis-server.ts'

type Entry = { value: string; expiresAtMs: number }

export function memoryRedis(): RunCommand {
  const entries = new Map<string, Entry>()
  const alive = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    if (entry && entry.expiresAtMs <= Date.now()) entries.delete(key)
    return entries.get(key)
  }
  const leftMs = (key: string): number => {
    const entry = alive(key)
    if (!entry) return -2
    return entry.expiresAtMs === Number.POSITIVE_INFINITY ? -1 : entry.expiresAtMs - Date.now()
  }
  return async ([name = '', ...args]) => {
    const [key = '', value = ''] = args
    switch (name.toLowerCase()) {
      case 'keys':
        return [...entries.keys()].filter(alive)
      case 'pttl':
        return leftMs(key)
      case 'pexpire': {
        const entry = alive(key)
        if (entry) entry.expiresAtMs = Date.now() + Number(value)
        return Number(entry !== undefined)
      }
      case 'eval': {
        const [, , counter = '', ttlS = '0', by = '1'] = args
        const known = alive(counter)
        const next = {
          value: String(Number(known?.value ?? 0) + Number(by)),
          expiresAtMs: known?.expiresAtMs ?? Date.now() + Number(ttlS) * 1000,
        }
        entries.set(counter, next)
        return [Number(next.value), Math.ceil(leftMs(counter) / 1000)]
      }
      default:
        throw new Error(`ERR unknown command ${name}`)
    }
  }
}
