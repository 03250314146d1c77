/**
 * Adds a history entry while an overlay is open, so that Back on a phone closes the overlay and not the page. The entry keeps the address
 * and the router's state, so the router sees no navigation. When the overlay closes in another way, the entry is removed unless the user
 * has navigated meanwhile. After a reload the entry is a duplicate of the one before.
 */
import { useEffect, useEffectEvent } from 'react'

/** The required part of the browser API. */
type StepWindow = {
  readonly history: Pick<History, 'state' | 'pushState' | 'back'>
  readonly addEventListener: (type: 'popstate', run: () => void) => void
  readonly removeEventListener: (type: 'popstate', run: () => void) => void
}

const mark = 'parleyStep'

/** An entry about to be removed; an overlay that opens in the same task reuses it. */
type PendingBack = { readonly id: number; readonly timer: ReturnType<typeof setTimeout> }

export function backEntries(page: StepWindow): (onBack: () => void) => () => void {
  let lastId = Date.now()
  let pendingBack: PendingBack | null = null
  const isOn = (id: number): boolean => page.history.state?.[mark] === id

  return (onBack) => {
    let id: number
    if (pendingBack && isOn(pendingBack.id)) {
      clearTimeout(pendingBack.timer)
      id = pendingBack.id
      pendingBack = null
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
        pendingBack = null
        if (isOn(id)) page.history.back()
      })
      pendingBack = { id, timer }
    }
  }
}

let openStep: ReturnType<typeof backEntries> | undefined

function openPageStep(onBack: () => void) {
  openStep ??= backEntries(window)
  return openStep(onBack)
}

/** Active while the caller is mounted. */
export function useCloseOnBack(onBack: () => void): void {
  const goBack = useEffectEvent(onBack)
  useEffect(() => openPageStep(() => goBack()), [])
}
