/** The operations of a browser that the walk uses. Each engine has a file that implements it. */

/** A control key, or a single character. */
export type Key = 'Enter' | 'Escape' | 'ArrowDown' | 'ArrowRight' | 'Tab'

export type Tab = {
  open(url: string): Promise<void>
  reload(): Promise<void>
  back(): Promise<void>
  /** The value of a JavaScript expression in the page, as JSON. */
  evaluate(expression: string): Promise<unknown>
  /** Clicks in the middle of the element that the expression returns. */
  click(expression: string): Promise<void>
  /** Types into the focused element. */
  type(text: string): Promise<void>
  press(key: Key): Promise<void>
  /** Holds Control. */
  pressWithControl(character: string): Promise<void>
  /** Makes the page this wide and about this high. */
  resize(width: number, height: number): Promise<void>
}

export type Browser = {
  newTab(): Promise<Tab>
  close(): Promise<void>
}

export type Engine = {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit'
  /** Why this machine cannot run it; null if it can. */
  readonly missing: string | null
  launch(): Promise<Browser>
}
