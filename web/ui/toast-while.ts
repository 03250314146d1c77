import { dismissToast, toast } from './toaster.tsx'

/** Chosen: work that ends sooner needs no sign that it runs. */
const patienceMs = 500

let lastWork = 0

/** Shows a loading toast while `work` runs, also on other pages. The caller reports the result. */
export async function toastWhile<T>(message: string, work: Promise<T>): Promise<T> {
  lastWork += 1
  const id = `work-${lastWork}`
  const timer = setTimeout(() => toast('loading', message, { id }), patienceMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    dismissToast(id)
  }
}
