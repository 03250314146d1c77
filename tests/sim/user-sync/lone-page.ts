// One page of one user without choices: it sends what is pending, applies what it receives and reconnects when asked to.

import { type MemorySocket, otherEnd } from '../../support/node-object/memory-sockets.ts'
import type { LoneObject } from './lone-object.ts'
import { Tab, type TabQuery } from './tab.ts'

/** Chosen: a client that must reconnect more often is not being served. */
const maxVisits = 10

export class LonePage {
  readonly tab = new Tab('group', 'client')
  readonly #object: LoneObject

  constructor(object: LoneObject, queries: readonly TabQuery[]) {
    this.#object = object
    for (const query of queries) this.tab.want(query, 600_000)
  }

  /** Until no frame is in flight in either direction and the page is connected. */
  async rest(): Promise<void> {
    for (let visits = 0; visits < maxVisits; visits++) {
      if (!this.tab.socket) await this.#visit()
      if (await this.#talk()) return
      this.tab.closed()
    }
    throw new Error(`still not served: ${this.tab.errors.join(' ')}`)
  }

  /** Sends what is pending and receives nothing. */
  async say(): Promise<void> {
    const { socket } = this.tab
    for (let frame = socket?.sent.shift(); socket && frame !== undefined; frame = socket.sent.shift())
      await this.#object.say({ server: otherEnd(socket) }, frame)
  }

  async #visit(): Promise<void> {
    const { url, subProtocol } = this.tab.connectRequest(this.#object.userId, null, false)
    const response = await this.#object.requestUpgrade(url, subProtocol)
    this.tab.opened(response.webSocket as unknown as MemorySocket)
  }

  /** False when the connection has ended. */
  async #talk(): Promise<boolean> {
    const { tab } = this
    const { socket } = tab
    if (!socket) return false
    const server = otherEnd(socket)
    for (let isSettled = false; !isSettled; ) {
      await this.say()
      await this.#object.settled()
      while (tab.receive());
      tab.acknowledge()
      if (server.readyState !== WebSocket.OPEN) {
        await this.#object.close({ server })
        await this.#object.settled()
        return false
      }
      isSettled = socket.sent.length === 0 && server.sent.length === 0
    }
    return true
  }
}
