/** Parts of the screen that come when they are first needed, and all of them before that if nothing else is going on. */
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react'
import { importPatiently } from './patient-import.ts'

export type LaterPart<Props extends object> = ComponentType<Props> & {
  /** Fetches it before it is needed. A failure shows to whoever needs it. */
  readonly prepare: () => void
}

const preparations = new Set<() => void>()

/**
 * What is here already is drawn at once. React's `lazy` suspends even then, and React shows what comes behind a `Suspense` up to 0.3 s
 * later; until then keys go to whatever has the focus. Out of reach of the server it waits instead of failing, and shows `meanwhile`.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>, meanwhile: ReactNode = null): LaterPart<Props> {
  let here: ComponentType<Props> | null = null
  const remember = async () => {
    here ??= await load()
    return here
  }

  function Later(props: Props): ReactNode {
    const [part, setPart] = useState(() => here)
    useEffect(() => {
      if (part) return undefined
      let isGone = false
      const show = (next: () => ComponentType<Props>) => {
        if (!isGone) setPart(next)
      }
      importPatiently(remember).then(
        (loaded) => show(() => loaded),
        (error: unknown) =>
          show(() => {
            throw error
          }),
      )
      return () => {
        isGone = true
      }
    }, [part])
    return part ? createElement(part, props) : meanwhile
  }

  const prepare = () => void remember().catch(() => undefined)
  preparations.add(prepare)
  return Object.assign(Later, { prepare })
}

/** One attempt for each. */
export function prepareAll(): void {
  for (const prepare of preparations) prepare()
}
