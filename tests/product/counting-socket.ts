/** Counts what the real client receives, without changing it. Installed as the global WebSocket before any client is created. */
import { vi } from 'vitest'

export type ReceivedCounts = { rows: number; clears: number; pokes: number; connections: number; errors: string[] }

export function countReceived(): ReceivedCounts {
  const received: ReceivedCounts = { rows: 0, clears: 0, pokes: 0, connections: 0, errors: [] }
  class CountingWebSocket extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.addEventListener('message', ({ data }) => {
        const [tag, body] = JSON.parse(String(data)) as [string, { rowsPatch?: { op: string }[]; kind?: string }]
        if (tag === 'connected') received.connections++
        if (tag === 'pokeEnd') received.pokes++
        if (tag === 'pokePart') received.rows += body.rowsPatch?.length ?? 0
        if (tag === 'pokePart') received.clears += body.rowsPatch?.filter(({ op }) => op === 'clear').length ?? 0
        if (tag === 'error') received.errors.push(body.kind ?? '')
      })
    }
  }
  vi.stubGlobal('WebSocket', CountingWebSocket)
  return received
}
