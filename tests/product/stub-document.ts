/** What the real client asks of a page: whether it is looked at. Installed before the client is made. */
export class StubDocument extends EventTarget {
  visibilityState: 'visible' | 'hidden' = 'visible'

  show(state: 'visible' | 'hidden'): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}
