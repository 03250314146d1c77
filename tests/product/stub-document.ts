/** The part of `document` that the real client uses: visibility. Installed before the client is created. */
export class StubDocument extends EventTarget {
  visibilityState: 'visible' | 'hidden' = 'visible'

  show(state: 'visible' | 'hidden'): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}
