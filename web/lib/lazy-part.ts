/** Parts of the screen that load when first needed, or earlier through `preloadAll`. */
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'
import { hasFirstPaintGesture } from './first-paint.ts'
import { createStore, type Store } from './store.ts'

type LazyPart<Props extends object> = ComponentType<Props> & {
  /** Loads the part before it is needed. A failure shows when the part is drawn. */
  readonly preload: () => void
  /** Resolves when the part can be drawn. */
  readonly ready: () => Promise<void>
}

/** A part that several modules load, and `lazyPart` draws. */
type LoadOnce<Part> = { readonly load: () => Promise<Part>; readonly loaded: () => Part | null }

export function loadOnce<Part>(load: () => Promise<Part>): LoadOnce<Part> {
  let part: Part | null = null
  return {
    loaded: () => part,
    load: async () => {
      part ??= await load()
      return part
    },
  }
}

const preloads = new Set<() => void>()
let isPreloading = false

function addPreload(preload: () => void): void {
  if (isPreloading) preload()
  else preloads.add(preload)
}

/**
 * A part that draws nothing, so nothing else asks for it. Loaded after the first gesture, with Data Saver too: a check must not be missing. Null until
 * it is loaded; a component that subscribes is then drawn again.
 */
export function loadLater<Part>(load: () => Promise<Part>): Store<Part | null> {
  const part = createStore<Part | null>(null)
  if (typeof window !== 'undefined') afterFirstGesture(() => void load().then(part.set, () => undefined))
  return part
}

/**
 * A loaded part is drawn at once. React's `lazy` suspends even then, and React shows the content of a `Suspense` up to 0.3 s later; until
 * then keys go to the focused element. Without a network the part shows `fallback` and waits (`load-chunk.ts`).
 */
export function lazyPart<Props extends object>(
  load: (() => Promise<ComponentType<Props>>) | LoadOnce<ComponentType<Props>>,
  fallback: ReactNode = null,
): LazyPart<Props> {
  const source = typeof load === 'function' ? loadOnce(load) : load

  // biome-ignore lint/correctness/noComponentHookFactories: modules call this once for each part, not components.
  function Lazy(props: Props): ReactNode {
    const [part, setPart] = useState(source.loaded)
    useEffect(() => {
      if (part) return undefined
      let isUnmounted = false
      const show = (next: () => ComponentType<Props>) => {
        if (!isUnmounted) setPart(next)
      }
      source.load().then(
        (loaded) => show(() => loaded),
        (error: unknown) =>
          show(() => {
            throw error
          }),
      )
      return () => {
        isUnmounted = true
      }
    }, [part])
    return part ? createElement(part, props) : fallback
  }

  const ready = async () => void (await source.load())
  const preload = () => void ready().catch(() => undefined)
  addPreload(preload)
  return Object.assign(Lazy, { preload, ready })
}

/** Chosen: all parts in one task would block the page for more than 50 ms. */
const partsPerTask = 8

/** Also loads parts that are declared afterwards, by files that this loads. */
export function preloadAll(): void {
  isPreloading = true
  const rest = [...preloads]
  const preloadSome = () => {
    for (const preload of rest.splice(0, partsPerTask)) preload()
    if (rest.length > 0) setTimeout(preloadSome)
  }
  preloadSome()
}

const gestures = ['pointermove', 'pointerdown', 'touchstart', 'keydown', 'input'] as const

/**
 * Runs `work` once, when the page is idle after the first user gesture, also if that was on the first paint. It loads code for later use: not
 * during the first load, and before the network can disconnect.
 */
export function afterFirstGesture(work: () => void): () => void {
  const controller = new AbortController()
  const begin = () => {
    controller.abort()
    void whenIdle().then(work)
  }
  if (hasFirstPaintGesture()) begin()
  else for (const gesture of gestures) window.addEventListener(gesture, begin, { signal: controller.signal, passive: true })
  return () => controller.abort()
}

/** Resolves when the page is idle, after 2 s at the latest. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2000 })
    else setTimeout(resolve, 200)
  })

/** The user's Data Saver setting, which only Chromium reports. */
export const savesData = (): boolean => 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true
