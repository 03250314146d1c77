/** One history of a world by its seed: random events, then no more faults until nothing is pending, then the checks. */
import { vi } from 'vitest'
import { otherEnd } from '../../support/node-object/memory-sockets.ts'
import { createRng } from '../../support/rng.ts'
import { checkDesiredQueries, checkFirstPages, checkLedger, checkOnce, checkOrders, checkPace, checkPages } from './checks.ts'
import { isWriting, nextQuestion } from './questions.ts'
import type { Mutation, Tab } from './tab.ts'
import { changeDesiredQueries, mutate, openTab, reload, restartEmpty } from './user-actions.ts'
import { type SimUser, World, type WorldOptions } from './world.ts'
import { endGeneration, writeConcurrently } from './writers.ts'

type Weighted = readonly [weight: number, event: () => unknown]

export type Counts = { events: number; mutations: number; deaths: number; faults: number }

class History {
  readonly world: World
  readonly trace: string[] = []
  readonly counts: Counts = { events: 0, mutations: 0, deaths: 0, faults: 0 }
  readonly #mutations = new Map<string, Mutation[]>()

  constructor(seed: number, options: WorldOptions) {
    const rng = createRng(seed)
    this.world = new World(rng, 1 + rng.below(2), options)
    for (const user of this.world.users) {
      const first = openTab(this.world, user, null)
      if (rng.chance(0.6)) openTab(this.world, user, first)
      if (rng.chance(0.6)) openTab(this.world, user, null)
    }
  }

  async run(events: number): Promise<void> {
    for (let i = 0; i < events; i++) await this.#step()
    this.world.isHealed = true
    await this.#rest()
    checkPages(this.world)
    checkFirstPages(this.world)
    await this.#notifyOnce()
    // A page that changed its queries while it connected sends the change with its next connect.
    for (const user of this.world.users) for (const tab of user.tabs) this.world.cut(user, tab, 1000)
    await this.#rest()
    checkPages(this.world)
    checkDesiredQueries(this.world)
    checkOnce(this.world, this.#mutations)
    checkLedger(this.world)
    checkOrders(this.world)
  }

  async #step(): Promise<void> {
    const { world } = this
    const { rng } = world
    const user = rng.pick(world.users)
    const tab = rng.pick(user.tabs)
    const events = this.#possible(user, tab)
    const total = events.reduce((sum, { weight }) => sum + weight, 0)
    let at = rng.next() * total
    const chosen = events.find(({ weight }) => {
      at -= weight
      return at < 0
    })
    if (!chosen) return
    this.trace.push(`${user.userId} ${tab.clientID} ${chosen.name}`)
    this.counts.events += 1
    await chosen.run()
    world.pass(rng.below(40))
    await world.settle()
    checkPace(world)
  }

  #possible(user: SimUser, tab: Tab) {
    const { world } = this
    const { rng } = world
    const { socket } = tab
    const all: { readonly [name: string]: Weighted } = {
      connect: [socket || tab.attempt ? 0 : 20, () => world.connect(user, tab)],
      deliver: [socket && socket.sent.length > 0 ? (world.options.isBusy ? 60 : 20) : 0, () => world.deliver(user, tab)],
      receive: [socket ? 25 : 0, () => this.#receive(user, tab)],
      answer: [user.questions.length > 0 ? 40 : 0, () => this.#answer(user)],
      mutate: [world.options.isBusy ? 80 : 8, () => this.#mutate(user, tab)],
      repeat: [tab.isConnected ? 1 : 0, () => tab.pushAll(this.#mutationsOf(tab))],
      changeQueries: [4, () => changeDesiredQueries(world, tab)],
      acknowledge: [2, () => tab.acknowledge()],
      chat: [1, () => tab.ask(rng.pick(plainFrames(tab)))],
      cut: [socket ? 2 : 0, () => world.cut(user, tab, rng.pick([1000, 1006]))],
      close: [user.closeEvents.length > 0 ? 5 : 0, () => world.deliverClose(user)],
      reload: [1, () => void reload(world, user, tab)],
      open: [user.tabs.length < 4 ? 1 : 0, () => void openTab(world, user, rng.chance(0.6) ? tab : null)],
      write: [8, () => writeConcurrently(world)],
      notify: [2, () => world.notify(user.userId)],
      generation: [world.generations.size > 0 ? 6 : 0, () => endGeneration(world)],
      fireAlarm: [isDue(user, world) ? 15 : 0, () => world.fireAlarm(user)],
      repeatAlarm: [1, () => world.repeatAlarm(user)],
      sleep: [hasNoQuestions(user) ? (world.options.isBusy ? 40 : 3) : 0, () => user.object.evict()],
      die: [1.5, () => this.#die(() => world.die(user))],
      wipe: [0.3, () => this.#die(() => world.wipe(user))],
      signOut: [0.3, () => this.#signOut(user)],
      backUp: [world.options.isRestored ? 1 : 0, () => world.backUp()],
      restore: [world.hasBackup ? 1 : 0, () => world.restore()],
      outwait: [!world.options.isSilent ? 0 : isWriting(user.questions) ? 30 : 1, () => this.#outwait()],
      spoil: [world.options.isSpoiled ? 10 : 0, () => world.spoil(user)],
      wait: [2, () => world.pass(rng.pick([1000, 5000, 61_000, 600_000]))],
    }
    return Object.entries(all).map(([name, [weight, run]]) => ({ name, weight, run }))
  }

  #mutate(user: SimUser, tab: Tab): void {
    const mutation = mutate(this.world, user, tab)
    this.#mutationsOf(tab).push(mutation)
    this.counts.mutations += 1
  }

  #mutationsOf({ groupID }: Tab): Mutation[] {
    const known = this.#mutations.get(groupID) ?? []
    this.#mutations.set(groupID, known)
    return known
  }

  #receive(user: SimUser, tab: Tab): void {
    const { socket } = tab
    if (tab.isOver) return void restartEmpty(this.world, user, tab)
    if (tab.receive() || !socket) return
    // All frames were received, so the close is next, if there is one.
    if (otherEnd(socket).readyState !== WebSocket.OPEN) this.world.cut(user, tab, 1000)
  }

  #answer(user: SimUser): void {
    const fault = this.world.fault()
    if (fault) {
      this.counts.faults += 1
      this.trace.push(`  ${fault.when}: ${fault.message}`)
    }
    nextQuestion(user.questions, this.world.rng, this.world.options.isSilent)?.answer(fault)
  }

  #outwait(): void {
    this.counts.faults += 1
    this.world.outwait()
  }

  #die(kill: () => void): void {
    this.counts.deaths += 1
    kill()
  }

  #signOut(user: SimUser): void {
    const { sessionId } = user
    this.world.d1.all('delete from session where id = ?', sessionId)
    this.world.newSession(user)
    this.world.endSessions(user, sessionId)
  }

  /** One notification is enough. If an eviction lost it, the first message of a client is enough. */
  async #notifyOnce(): Promise<void> {
    const { world } = this
    const rename = (userId: string) => world.d1.all('update user set name = ? where id = ?', world.fresh('name'), userId)
    for (const { userId } of world.users) {
      rename(userId)
      world.notify(userId)
    }
    while (await this.#calm());
    checkPages(world)
    for (const { object, userId, tabs } of world.users) {
      object.evict()
      rename(userId)
      for (const tab of tabs) tab.ask(['deleteClients', { clientIDs: [] }])
    }
    while (await this.#calm());
    checkPages(world)
  }

  /** No more faults: frames arrive, D1 responds, alarms fire, pages reconnect and answers end, until nothing is pending. */
  async #rest(): Promise<void> {
    const { world } = this
    for (let round = 0, idleRounds = 0; idleRounds < 3; round++) {
      if (round > 500) throw new Error('the world does not come to rest')
      const isBusy = await this.#calm()
      idleRounds = isBusy ? 0 : idleRounds + 1
      if (!isBusy) {
        for (const { userId } of world.users) world.notify(userId)
        world.pass(15_000)
      }
    }
  }

  async #calm(): Promise<boolean> {
    const { world } = this
    let isBusy = false
    for (const user of world.users) {
      for (const tab of user.tabs) {
        if (!tab.socket && !tab.attempt) world.connect(user, tab)
        while (tab.socket && tab.socket.sent.length > 0) world.deliver(user, tab)
        await world.settle()
        while (user.questions.length > 0) {
          nextQuestion(user.questions, world.rng, world.options.isSilent)?.answer(null)
          await world.settle()
        }
        while (tab.receive()) isBusy = true
        this.#receive(user, tab)
        tab.acknowledge()
        isBusy ||= !tab.isConnected || tab.pending.length > 0
      }
      while (user.closeEvents.length > 0) world.deliverClose(user)
      if (isDue(user, world)) world.fireAlarm(user)
      await world.settle()
    }
    while (world.generations.size > 0) {
      isBusy = true
      await endGeneration(world)
    }
    if (isBusy) world.pass(500)
    return isBusy
  }
}

const plainFrames = ({ groupID, cookie, clientID }: Tab): readonly (readonly [string, unknown])[] => [
  ['ping', {}],
  ['pull', { clientGroupID: groupID, cookie, requestID: 'r' }],
  ['inspect', { id: 'i', op: 'version' }],
  ['deleteClients', { clientIDs: [clientID, 'long-gone'] }],
]

const isDue = ({ object }: SimUser, { nowMs }: World): boolean => object.storage.alarmAtMs !== null && object.storage.alarmAtMs <= nowMs
const hasNoQuestions = ({ object, questions }: SimUser): boolean => object.isAwake && questions.length === 0

export async function runHistory(seed: number, events: number, options: WorldOptions = {}): Promise<Counts> {
  const history = new History(seed, options)
  try {
    await history.run(events)
    return history.counts
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const replay = `SEED=${seed} EVENTS=${events} vitest run --config tests/vitest.node.config.ts tests/sim/user-sync`
    throw new Error(`seed ${seed}: ${reason}\nreplay: ${replay}\n${history.trace.slice(-60).join('\n')}`, { cause })
  } finally {
    vi.useRealTimers()
  }
}
