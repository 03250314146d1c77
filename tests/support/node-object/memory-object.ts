/**
 * One Durable Object in memory: its storage and its sockets outlive the instance. The instance can hibernate (memory is lost, sockets stay)
 * or crash (sockets break, pending results never arrive). The object's class is the real one.
 */
import { inLife, Life } from './life-timers.ts'
import { MemorySocket } from './memory-sockets.ts'
import { MemoryStorage } from './memory-storage.ts'

export type MemoryObject<T> = {
  readonly storage: MemoryStorage
  readonly sockets: readonly MemorySocket[]
  /** The instance, created when it is first needed after a hibernation or a crash. */
  awake(): T
  readonly isAwake: boolean
  /** Hibernates the instance between two events. */
  evict(): void
  /** Crashes the instance at any point. */
  die(): void
  /** Resolves when the instance has no pending work. */
  settled(): Promise<void>
  /** Fires the instance's timers up to this time. */
  runTimers(nowMs: number): void
  /** Drops sockets whose ends are closed. */
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
    // The objects use nothing else of a state.
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

/** An ended instance must not change the storage of its successor. */
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
