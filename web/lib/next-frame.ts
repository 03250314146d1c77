/** Calls `run` once in the next frame, for any number of requests. A hidden page has no frames and uses a timer. */
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
