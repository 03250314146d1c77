/** Pages of one browser, each with new modules, and the locks that they hold. The test stubs their storage. */
import { vi } from 'vitest'

type Waiting = { readonly page: number; readonly take: () => void }

export type Browser = {
  /** The held locks with their waiting requests. */
  readonly locks: Map<string, Waiting[]>
  /** `refused`: a browser without locks. */
  readonly openPage: <Module>(load: () => Promise<Module>, refused?: () => Promise<never>) => Promise<Page<Module>>
}
/** `leave`: the page gets the events of closing. `end`: the page crashes. `look`: the page becomes visible. */
type Page<Module> = Module & { readonly leave: () => void; readonly end: () => void; readonly look: () => void }

export function openBrowser(): Browser {
  const locks = new Map<string, Waiting[]>()
  let count = 0
  return {
    locks,
    openPage: async (load, refused) => {
      vi.resetModules()
      const number = count++
      const [window, document] = [new EventTarget(), Object.assign(new EventTarget(), { visibilityState: 'visible' })]
      const own = new Set<string>()
      const release = (name: string) => {
        own.delete(name)
        const [next, ...others] = locks.get(name) ?? []
        locks.delete(name)
        if (!next) return
        next.take()
        locks.get(name)?.push(...others)
      }
      type Hold = (lock: object | null) => unknown
      const request = (name: string, ...[options, hold]: [Hold] | [{ readonly ifAvailable: boolean }, Hold]) =>
        new Promise<void>((resolve) => {
          const held = typeof options === 'function' ? options : hold
          if (typeof options === 'object' && locks.has(name)) {
            held?.(null)
            resolve()
            return
          }
          const take = () => {
            locks.set(name, [])
            own.add(name)
            void Promise.resolve(held?.({})).then(() => {
              release(name)
              resolve()
            })
          }
          const waiting = locks.get(name)
          if (waiting) waiting.push({ page: number, take })
          else take()
        })
      vi.stubGlobal('navigator', { locks: { request: refused ?? request } })
      vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
      vi.stubGlobal('document', document)
      const module = await load()
      const end = () => {
        for (const [name, waiting] of locks)
          locks.set(
            name,
            waiting.filter(({ page }) => page !== number),
          )
        for (const name of own) release(name)
      }
      return {
        ...module,
        end,
        leave: () => void window.dispatchEvent(new Event('pagehide')),
        look: () => void document.dispatchEvent(new Event('visibilitychange')),
      }
    },
  }
}
