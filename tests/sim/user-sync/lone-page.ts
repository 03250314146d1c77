// One page of one person, and nothing that chooses: it says what it has to say, hears what it is told, and comes back when it is asked to.

import { type MemorySocket, otherEnd } from '../../support/node-object/memory-sockets.ts'
import type { LoneObject } from './lone-object.ts'
import { Tab, type TabQuery } from './tab.ts'

/** Ours: whoever is asked to come back more often than this will not be served. */
const maxVisits = 10

export class LonePage {
  readonly tab = new Tab('group', 'client')
  readonly #object: LoneObject

  constructor(object: LoneObject, queries: readonly TabQuery[]) {
    this.#object = object
    for (const query of queries) this.tab.want(query, 600_000)
  }

  /** Until nothing is on its way any more, in either direction, and the page is connected. */
  async rest(): Promise<void> {
    for (let visits = 0; visits < maxVisits; visits++) {
      if (!this.tab.socket) await this.#visit()
      if (await this.#talk()) return
      this.tab.closed()
    }
    throw new Error(`still not served: ${this.tab.errors.join(' ')}`)
  }

  /** Says what waits to be said, and hears nothing of it. */
  async say(): Promise<void> {
    const { socket } = this.tab
    for (let frame = socket?.sent.shift(); socket && frame !== undefined; frame = socket.sent.shift())
      await this.#object.say({ server: otherEnd(socket) }, frame)
  }

  async #visit(): Promise<void> {
    const { url, subProtocol } = this.tab.knock(this.#object.userId, null, false)
    const response = await this.#object.knock(url, subProtocol)
    this.tab.opened(response.webSocket as unknown as MemorySocket)
  }

  /** False when the connection has ended. */
  async #talk(): Promise<boolean> {
    const { tab } = this
    const { socket } = tab
    if (!socket) return false
    const server = otherEnd(socket)
    for (let isQuiet = false; !isQuiet; ) {
      await this.say()
      await this.#object.settled()
      while (tab.hear());
      tab.acknowledge()
      if (server.readyState !== WebSocket.OPEN) {
        await this.#object.close({ server })
        await this.#object.settled()
        return false
      }
      isQuiet = socket.sent.length === 0 && server.sent.length === 0
    }
    return true
  }
}
