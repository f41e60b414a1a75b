/** In the container's own file system, which no other container and no volume shares. */
export const LOCAL_SOCKET = '/run/yagura/virt-handler.sock';
