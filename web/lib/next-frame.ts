/** Calls `run` once in the next frame, however often it is asked to. A hidden page has no frames, so there a timer stands in. */
export function atNextFrame(run: () => void): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    const go = () => {
      isWaiting = false
      run()
    }
    if (document.hidden) setTimeout(go, hiddenPauseMs)
    else requestAnimationFrame(go)
  }
}

const hiddenPauseMs = 250
