/** Where the keyboard is on the screen it covers half of it, and waits until it is asked for. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches
