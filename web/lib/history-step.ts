/**
 * A step of the history for what lies over the page: on a phone Back is pressed first, and it should take away what was opened last and not
 * the page below it. The step keeps the address and what the router knows of the entry, so to the router nothing has happened. Closed in any
 * other way, the step is taken back, unless somebody has gone elsewhere meanwhile. After a reload the step is an entry like the one before it.
 */
import { useEffect, useRef } from 'react'

/** What of the browser this needs. */
type StepWindow = {
  readonly history: Pick<History, 'state' | 'pushState' | 'back'>
  readonly addEventListener: (type: 'popstate', run: () => void) => void
  readonly removeEventListener: (type: 'popstate', run: () => void) => void
}

const mark = 'parleyStep'

/** A step that its opener lets go of; whoever opens another in the same moment has it instead of a new one. */
type Leaving = { readonly id: number; readonly timer: ReturnType<typeof setTimeout> }

export function historySteps(page: StepWindow): (onBack: () => void) => () => void {
  let lastId = Date.now()
  let leaving: Leaving | null = null
  const isOn = (id: number): boolean => page.history.state?.[mark] === id

  return (onBack) => {
    let id: number
    if (leaving && isOn(leaving.id)) {
      clearTimeout(leaving.timer)
      id = leaving.id
      leaving = null
    } else {
      lastId += 1
      id = lastId
      page.history.pushState({ ...page.history.state, [mark]: id }, '')
    }
    const onPop = () => {
      if (!isOn(id)) onBack()
    }
    page.addEventListener('popstate', onPop)
    return () => {
      page.removeEventListener('popstate', onPop)
      const timer = setTimeout(() => {
        leaving = null
        if (isOn(id)) page.history.back()
      })
      leaving = { id, timer }
    }
  }
}

let openStep: ReturnType<typeof historySteps> | undefined

/** For as long as the caller is drawn. */
export function useHistoryStep(onBack: () => void): void {
  const latest = useRef(onBack)
  latest.current = onBack
  useEffect(() => {
    openStep ??= historySteps(window)
    return openStep(() => latest.current())
  }, [])
}
