/**
 * Presses Tab through a screen. Reports controls that Tab does not reach, and focused controls without a focus indicator (WCAG 2.4.7), with
 * one that is clipped or of low contrast (1.4.11), outside the window or covered (2.4.11). Restores the focus; the page may scroll.
 */
import type { Page } from 'playwright-core'
import { focusRingCheck } from './focus-ring.ts'

/** `themes`: checks the focus indicator in each of these themes too. */
export async function tabOrderProblems(page: Page, themes: readonly string[] = []): Promise<string[]> {
  const ring = await page.evaluateHandle(focusRingCheck, { themes })
  const pass = await page.evaluateHandle(startPass, ring)
  const { maxPresses, firstKeys, mayLeave } = await pass.evaluate(({ maxPresses, firstKeys, mayLeave }) => ({
    maxPresses,
    firstKeys,
    mayLeave,
  }))
  for (const key of firstKeys) await page.keyboard.press(key)
  for (let presses = 0, isComplete = false; presses < maxPresses && !isComplete; presses += 1) {
    isComplete = await pass.evaluate(({ visit }) => visit())
    if (!isComplete || mayLeave) await page.keyboard.press('Tab')
  }
  const problems = await pass.evaluate(({ end }) => end())
  await Promise.all([pass.dispose(), ring.dispose()])
  return problems
}

type RingCheck = ReturnType<typeof focusRingCheck>

/** Runs in the page. */
function startPass(ring: RingCheck) {
  const controls = [
    ...['a[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'summary', '[tabindex="0"]'],
    ...['button', 'link', 'checkbox', 'switch', 'textbox', 'combobox'].map((role) => `[role=${role}]`),
  ].join()
  /** Each is one tab stop. Arrow keys move inside, which `tests/e2e/long/*-keys.test.ts` test. */
  const composites = '[role=toolbar], [role=tablist], [role=radiogroup], [role=listbox], [role=grid]'
  const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
  const isUsable = (control: Element) =>
    isShown(control) && !control.matches(':disabled') && !control.closest('[inert], [aria-hidden=true]')
  const labelOf = (control: Element) => (control instanceof HTMLInputElement && control.labels?.[0]) || null
  const nameOf = (control: Element) =>
    `${control.localName} “${(control.ariaLabel ?? (labelOf(control) ?? control).textContent?.trim() ?? '').slice(0, 60)}”`

  /** The element that stands for all controls with the same tab stop. */
  function groupOf(control: Element): Element {
    const name = control.matches('input[type=radio]') ? control.getAttribute('name') : null
    const radio = name === null ? null : document.querySelector(`input[type=radio][name="${CSS.escape(name)}"]`)
    return control.closest(composites) ?? radio ?? control
  }

  /** The visible part of a control: radio buttons, checkboxes and file inputs may be invisible inside their label. */
  const boxOf = (control: Element) => (control.matches('[type=radio], [type=checkbox], [type=file]') && labelOf(control)) || control

  /** The styles that show the focus. */
  function focusStyleOf(control: Element): string {
    const styles = [control, boxOf(control)].map((box) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(box)
      return [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor, boxShadow, borderColor]
    })
    return styles.join()
  }

  /** True if the center or a corner of the part inside the window is uncovered. */
  function isInView(control: Element): boolean {
    const box = boxOf(control)
    const { left, right, top, bottom } = box.getBoundingClientRect()
    const inset = 2
    const [x0, x1] = [Math.max(left, 0) + inset, Math.min(right, innerWidth) - inset]
    const [y0, y1] = [Math.max(top, 0) + inset, Math.min(bottom, innerHeight) - inset]
    const points = [[(x0 + x1) / 2, (y0 + y1) / 2], ...[x0, x1].flatMap((x) => [y0, y1].map((y) => [x, y]))]
    return points.some(([x = 0, y = 0]) => box.contains(document.elementFromPoint(x, y)))
  }

  const active = () =>
    document.activeElement instanceof HTMLElement && document.activeElement !== document.body ? document.activeElement : null
  const initiallyFocused = active()
  const overlay = [...document.querySelectorAll('[aria-modal="true"], [role=dialog]')].filter(isShown).at(-1)
  // In a menu, Tab closes it; in a list that completes the text, Tab chooses an option. `menu-keys.test.ts` and `writing.test.ts` test that.
  const tabHasOtherUse =
    [...document.querySelectorAll('[role=menu]')].some(isShown) || initiallyFocused?.matches('textarea[aria-activedescendant]')
  const all = tabHasOtherUse ? [] : [...(overlay ?? document).querySelectorAll<HTMLElement>(controls)].filter(isUsable)
  const unfocusedStyles = new Map(all.filter((control) => control !== initiallyFocused).map((control) => [control, focusStyleOf(control)]))
  const unreached = new Set(all.map(groupOf))
  const stopCount = unreached.size
  const visited = new Set<Element>()
  const problems: string[] = []
  const isPopover = overlay?.matches(':not([aria-modal="true"])') ?? false
  // A popover closes when Tab leaves it, so the pass starts at its first control and ends at its last one.
  if (isPopover) all.find(({ tabIndex }) => tabIndex >= 0)?.focus()

  const mayLeave = !isPopover && !tabHasOtherUse

  return {
    maxPresses: 2 * stopCount + 10,
    mayLeave,
    /** The indicator appears only when a key has moved the focus. */
    firstKeys: isPopover && stopCount > 1 ? ['Tab', 'Shift+Tab'] : [],
    /** Checks the focused control. Returns whether every control has been reached. */
    visit(): boolean {
      const control = active()
      if (initiallyFocused && control !== initiallyFocused && !unfocusedStyles.has(initiallyFocused))
        unfocusedStyles.set(initiallyFocused, focusStyleOf(initiallyFocused))
      // The initially focused control is checked when Tab returns to it.
      const unfocused = control && unfocusedStyles.get(control)
      if (control && !visited.has(control) && (control !== initiallyFocused || unfocused)) {
        visited.add(control)
        unreached.delete(groupOf(control))
        // The caret shows the focus of a text field, an example of WCAG 2.4.7.
        const isMarked = control.matches(':read-write') || unfocused !== focusStyleOf(control)
        if (!isMarked) problems.push(`${nameOf(control)} does not show its focus`)
        for (const problem of ring.problemsOf([control, boxOf(control)])) problems.push(`${nameOf(control)} ${problem}`)
        if (!isInView(control)) problems.push(`${nameOf(control)} is out of view when it has the focus`)
      }
      return unreached.size === 0
    },
    end(): string[] {
      const last = [...visited].at(-1)
      if (mayLeave && stopCount > 1 && last && last === active()) problems.push(`${nameOf(last)} keeps the focus`)
      if (overlay && !isShown(overlay)) problems.push('Tab closed the overlay')
      if (initiallyFocused) initiallyFocused.focus({ preventScroll: true })
      else active()?.blur()
      const missed = [...unreached].filter(isUsable).map((control) => `${nameOf(control)} is not reached by Tab`)
      return [...missed, ...problems]
    },
  }
}
