/**
 * One durable object in memory: its storage and its sockets outlive the instance, which can be put to sleep (memory is lost, sockets stay)
 * or killed (sockets break, and what it was waiting for never comes). The object's class is the real one.
 */
import { inLife, Life } from './life-timers.ts'
import { MemorySocket } from './memory-sockets.ts'
import { MemoryStorage } from './memory-storage.ts'

export type MemoryObject<T> = {
  readonly storage: MemoryStorage
  readonly sockets: readonly MemorySocket[]
  /** Made when it is first needed after a sleep or a death. */
  awake(): T
  readonly isAwake: boolean
  /** The platform forgets the instance between two events. */
  evict(): void
  /** The process is gone, whatever it was doing. */
  die(): void
  /** Nothing of the instance is still under way. */
  settled(): Promise<void>
  /** Time has come as far as this for what it waits for. */
  runTimers(nowMs: number): void
  /** Forgets sockets whose ends are closed. */
  sweep(): void
}

export function memoryObject<T extends object>(make: (ctx: DurableObjectState, life: Life) => T): MemoryObject<T> {
  const storage = new MemoryStorage()
  let sockets: MemorySocket[] = []
  let instance: { readonly object: T; readonly life: Life } | null = null
  let background = new Set<Promise<unknown>>()

  const open = (tag?: string) => sockets.filter((socket) => tag === undefined || socket.tags.includes(tag))

  const contextOf = (life: Life): DurableObjectState => {
    const guarded = guardedStorage(storage, life)
    const ctx = {
      storage: guarded,
      acceptWebSocket: (socket: unknown, tags: readonly string[] = []) => {
        if (!(socket instanceof MemorySocket)) throw new TypeError('a socket of a pair was expected')
        socket.tags = tags
        sockets.push(socket)
      },
      getWebSockets: open,
      setWebSocketAutoResponse: () => undefined,
      waitUntil: (work: Promise<unknown>) => {
        const tracked = Promise.resolve(work).finally(() => background.delete(tracked))
        background.add(tracked)
      },
      blockConcurrencyWhile: <R>(run: () => Promise<R>) => run(),
    }
    // Everything else of a state, our objects do not ask for.
    return ctx as unknown as DurableObjectState
  }

  return {
    storage,
    get sockets() {
      return sockets
    },
    get isAwake() {
      return instance !== null
    },
    awake() {
      if (!instance) {
        const life = new Life()
        instance = { object: inLife(life, () => make(contextOf(life), life)), life }
      }
      return instance.object
    },
    evict() {
      storage.failsAfter = null
      instance?.life.end()
      instance = null
      background = new Set()
    },
    die() {
      storage.failsAfter = null
      instance?.life.end()
      instance = null
      background = new Set()
      for (const socket of sockets) {
        socket.readyState = WebSocket.CLOSED
        socket.closedBy ??= { code: 1006, reason: '' }
      }
      sockets = []
    },
    async settled() {
      while (background.size > 0) await Promise.allSettled([...background])
    },
    runTimers: (nowMs) => instance?.life.runTimers(nowMs),
    sweep() {
      sockets = sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED)
    },
  }
}

/** An instance that is over must not touch what its successor works on. */
function guardedStorage(storage: MemoryStorage, life: Life): DurableObjectStorage {
  const assertAlive = () => {
    if (life.isOver) throw new Error('an object that is over was still at work')
  }
  const guarded = {
    sql: {
      exec: (...args: Parameters<MemoryStorage['sql']['exec']>) => {
        assertAlive()
        return storage.sql.exec(...args)
      },
    },
    kv: storage.kv,
    transactionSync: <R>(run: () => R): R => {
      assertAlive()
      return storage.transactionSync(run)
    },
    getAlarm: storage.getAlarm,
    setAlarm: async (at: number | Date) => {
      assertAlive()
      await storage.setAlarm(at)
    },
    deleteAlarm: storage.deleteAlarm,
    deleteAll: async () => {
      assertAlive()
      await storage.deleteAll()
    },
  }
  return guarded as unknown as DurableObjectStorage
}
